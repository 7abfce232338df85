#include "fovea/attend/impose.h"

#include <algorithm>
#include <numeric>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

template <class Map>
const typename Map::mapped_type* find(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

void Impose::weights(const std::string& layer, Change change) {
  weights_[layer] = std::move(change);
}

void Impose::head_mask(const std::string& layer, std::vector<float> factors) {
  head_masks_[layer] = std::move(factors);
}

const Impose::Change* Impose::weights_of(const std::string& layer) const {
  return find(weights_, layer);
}

const std::vector<float>* Impose::head_mask_of(const std::string& layer) const {
  return find(head_masks_, layer);
}

Var uniform_weights(const Pairs& pairs) {
  Tensor weights({pairs.size()});
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    const int64_t count = int64_t{pairs.heads()} * pairs.row(m).keys;
    const float share = 1.0f / static_cast<float>(pairs.row(m).keys);
    std::fill_n(weights.data() + pairs.begin(m, 0), count, share);
  }
  return weights;
}

Var permuted_weights(const Var& weights, const Pairs& pairs, RandomKey key) {
  std::vector<int> order(static_cast<size_t>(pairs.size()));
  std::iota(order.begin(), order.end(), 0);
  const Segments& of = pairs.segments();
  for (int i = 0; i < of.count(); ++i) {
    const RandomKey row = key.with(static_cast<uint64_t>(i));
    for (int j = of.length(i) - 1; j > 0; --j) {  // Fisher-Yates
      const uint32_t other = random_below(row, j, j + 1);
      std::swap(order[of.begin(i) + j], order[of.begin(i) + other]);
    }
  }
  const Var column = reshape(weights, {pairs.size(), 1});
  return reshape(gather(column, order), {pairs.size()});
}

Impose::Change frozen(Tensor weights) {
  return [weights](const Var&, const Pairs& pairs) -> Var {
    check(weights.size() == pairs.size(), "impose: ", weights.size(),
          " weights for ", pairs.size(), " pairs");
    return weights;
  };
}

const Impose::Change* imposed(const Pass& pass) {
  return pass.impose ? pass.impose->weights_of(pass.name()) : nullptr;
}

Var impose_weights(const Var& weights, const Pairs& pairs, const Pass& pass) {
  const Impose::Change* change = imposed(pass);
  if (!change) return weights;
  const Var changed = (*change)(weights, pairs);
  check(changed.value().size() == pairs.size(),
        "impose: ", changed.value().size(), " weights for ", pairs.size(),
        " pairs");
  return changed;
}

Var impose_head_mask(const Var& outputs, int64_t heads, const Pass& pass) {
  const std::vector<float>* mask =
      pass.impose ? pass.impose->head_mask_of(pass.name()) : nullptr;
  if (!mask) return outputs;
  check(std::ssize(*mask) == heads, "impose: ", mask->size(),
        " factors for the ", heads, " heads of ", pass.name());
  const int64_t width = outputs.value().cols(), size = width / heads;
  Tensor factors({width});
  for (int64_t i = 0; i < width; ++i) factors[i] = (*mask)[i / size];
  return outputs * factors;
}

}  // namespace fovea
