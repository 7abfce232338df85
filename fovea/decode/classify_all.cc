#include "fovea/decode/classify_all.h"

#include <algorithm>
#include <numeric>

#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/data/batch.h"

namespace fovea {

std::vector<std::vector<float>> classify_all(
    const Classifier& model, std::span<const std::vector<int>> texts, int end,
    const ClassifyAllConfig& config) {
  check_usage(config.batch_size >= 1, "--batch-size ", config.batch_size,
              ": give at least 1");
  std::vector<std::vector<float>> results(texts.size());
  const auto size = static_cast<size_t>(config.batch_size);
  const auto batches = static_cast<int64_t>((texts.size() + size - 1) / size);
  parallel_tasks(batches, [&](int64_t b, int) {
    const NoGrad none;
    const size_t first = static_cast<size_t>(b) * size;
    const auto some =
        texts.subspan(first, std::min(size, texts.size() - first));
    const Tensor rows =
        softmax(model.logits(with_end(some, end), Pass{})).value();
    for (size_t i = 0; i < some.size(); ++i) {
      if (some[i].empty()) continue;
      const float* row = rows.data() + i * rows.cols();
      results[first + i].assign(row, row + rows.cols());
    }
  });
  return results;
}

std::vector<int> most_probable(std::span<const float> probabilities, int k) {
  std::vector<int> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  const auto wanted =
      std::min(order.size(), static_cast<size_t>(std::max(0, k)));
  std::partial_sort(order.begin(), order.begin() + wanted, order.end(),
                    [&](int a, int b) {
                      return probabilities[a] != probabilities[b]
                                 ? probabilities[a] > probabilities[b]
                                 : a < b;
                    });
  order.resize(wanted);
  return order;
}

}  // namespace fovea
