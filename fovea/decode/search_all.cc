#include "fovea/decode/search_all.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

namespace fovea {

Ids with_end(std::span<const std::vector<int>> sentences, int end) {
  std::vector<int> ids, lengths;
  for (const std::vector<int>& sentence : sentences) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    ids.push_back(end);
    lengths.push_back(static_cast<int>(sentence.size()) + 1);
  }
  return {std::move(ids), Segments::from_lengths(lengths)};
}

std::vector<std::vector<Hypothesis>> search_all(
    const Seq2Seq& model, std::span<const std::vector<int>> sentences,
    const SearchAllConfig& config, const std::function<void(int64_t)>& done) {
  check_usage(config.batch_size >= 1, "--batch-size ", config.batch_size,
              ": give at least 1");
  std::vector<std::vector<Hypothesis>> results(sentences.size());
  std::vector<int> order;
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (sentences[i].empty()) {
      results[i].emplace_back().finished = true;
    } else {
      order.push_back(static_cast<int>(i));
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return sentences[a].size() > sentences[b].size();
  });

  std::mutex mutex;
  int64_t finished = std::ssize(sentences) - std::ssize(order);
  const int64_t size = config.batch_size;
  const int64_t batches = (std::ssize(order) + size - 1) / size;
  parallel_tasks(batches, [&](int64_t b, int) {
    const int64_t begin = b * size;
    const int64_t end = std::min<int64_t>(begin + size, std::ssize(order));
    std::vector<std::vector<int>> some;
    for (int64_t i = begin; i < end; ++i) some.push_back(sentences[order[i]]);
    auto found = beam_search(model, with_end(some, model.end()), config.beam);
    for (int64_t i = begin; i < end; ++i) {
      results[order[i]] = std::move(found[i - begin]);
    }
    const std::lock_guard<std::mutex> lock(mutex);
    finished += end - begin;
    if (done) done(finished);
  });
  return results;
}

}  // namespace fovea
