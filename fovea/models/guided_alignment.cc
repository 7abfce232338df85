#include "fovea/models/guided_alignment.h"

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

constexpr float kLeast = 1e-6f;  // keeps the logarithm of a zero weight finite

// Where in the weights each link's heads are, and what each link counts.
struct Places {
  std::vector<int> weights;  // [links * heads]
  std::vector<float> shares;
};

void add_sentence(const TokenLinks& links, int begin, int length,
                  const Pairs& pairs, Places& places) {
  std::vector<int> count(length, 0);
  for (const auto& link : links) {
    check_data(link.second >= 0 && link.second < length,
               "guided alignment: a link to target word ", link.second, " of ",
               length);
    ++count[link.second];
  }
  for (const auto& link : links) {
    const int m = begin + link.second;
    const Pairs::Row& row = pairs.row(m);
    // A window may leave the word out: nothing can be learned there.
    const int key = link.first - row.first;
    if (key < 0 || key >= row.keys) continue;
    for (int h = 0; h < pairs.heads(); ++h) {
      places.weights.push_back(static_cast<int>(pairs.begin(m, h)) + key);
    }
    places.shares.push_back(1.0f / static_cast<float>(count[link.second]));
  }
}

}  // namespace

Var guided_alignment_loss(const Weights& weights,
                          std::span<const TokenLinks> links, const Segments& of,
                          double normaliser) {
  check(std::ssize(links) == of.count(), "guided alignment: links of ",
        links.size(), " sentences for ", of.count());
  const Pairs& pairs = weights.pairs;
  Places places;
  for (int b = 0; b < of.count(); ++b) {
    add_sentence(links[b], of.begin(b), of.length(b), pairs, places);
  }
  if (places.shares.empty()) return Tensor::zeros({});
  const auto n = static_cast<int64_t>(places.shares.size());
  const Var column = reshape(weights.values, {pairs.size(), 1});
  const Var chosen =
      reshape(gather(column, places.weights), {n, pairs.heads()});
  const Var mean =
      scale(row_sums(chosen), 1.0f / static_cast<float>(pairs.heads()));
  const Var shares = Tensor::from({n}, places.shares);
  return scale(sum(log(shift(mean, kLeast)) * shares),
               static_cast<float>(-1.0 / normaliser));
}

}  // namespace fovea
