#include <algorithm>
#include <numeric>

#include "fovea/autograd/gather.h"
#include "fovea/eval/distribution_distance.h"
#include "fovea/explain/weight_tests.h"

namespace fovea {
namespace {

std::vector<int> random_order(int count, RandomKey key) {
  std::vector<int> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (int j = count - 1; j > 0; --j) {  // Fisher-Yates
    const auto index = static_cast<uint32_t>(j);
    std::swap(order[j], order[random_below(key, index, index + 1)]);
  }
  return order;
}

// One order for all heads that change.
Var permuted(const LayerCall& call, int head,
             const std::vector<RandomKey>& keys) {
  const Pairs& pairs = call.pairs;
  std::vector<int> places(static_cast<size_t>(pairs.size()));
  std::iota(places.begin(), places.end(), 0);
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    const std::vector<int> order =
        random_order(pairs.row(m).keys, keys[call.cases[m]]);
    for (int h = 0; h < pairs.heads(); ++h) {
      if (head >= 0 && h != head) continue;
      const auto begin = static_cast<int>(pairs.begin(m, h));
      for (size_t j = 0; j < order.size(); ++j) {
        places[begin + j] = begin + order[j];
      }
    }
  }
  const Var column = reshape(call.weights, {pairs.size(), 1});
  return reshape(gather(column, places), {pairs.size()});
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

}  // namespace

std::vector<double> permute_weights(const TestedModel& model,
                                    const TestTexts& texts, const LayerRun& own,
                                    const WeightChange& change, int times) {
  const NoGrad none;
  const Encoded source = model.encode(texts.source);
  const Segments cases = texts.cases();
  const auto width = static_cast<size_t>(own.outputs.cols());
  std::vector<std::vector<double>> changes(own.outputs.rows());
  for (int i = 0; i < times; ++i) {
    std::vector<RandomKey> keys;
    for (int b = 0; b < cases.count(); ++b) {
      for (int c = 0; c < cases.length(b); ++c) {
        keys.push_back(change.key.with(change.numbers[b]).with(c).with(i));
      }
    }
    const Tensor p = run_changed(model, source, texts, own,
                                 [&](const LayerCall& call, size_t) {
                                   return permuted(call, change.head, keys);
                                 })
                         .value();
    for (size_t c = 0; c < changes.size(); ++c) {
      changes[c].push_back(
          total_variation({p.data() + c * width, width},
                          {own.outputs.data() + c * width, width}));
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& of_case : changes) {
    medians.push_back(median(std::move(of_case)));
  }
  return medians;
}

}  // namespace fovea
