#include "fovea/decode/search_all.h"

#include <algorithm>
#include <mutex>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

// Sentences that are computed together.
using Group = std::vector<int>;

std::vector<Group> groups_of(std::span<const SearchSource> sources,
                             std::vector<int> order,
                             const SearchAllConfig& config) {
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return sources[a].ids.size() > sources[b].ids.size();
  });
  std::vector<Group> groups;
  int64_t tokens = 0;
  for (int i : order) {
    const auto more = std::ssize(sources[i].ids) + 1;
    if (groups.empty() || std::ssize(groups.back()) >= config.batch_size ||
        tokens + more > config.batch_tokens) {
      groups.emplace_back();
      tokens = 0;
    }
    groups.back().push_back(i);
    tokens += more;
  }
  return groups;
}

}  // namespace

std::vector<SearchSource> sources_of(
    std::span<const std::vector<int>> sentences) {
  std::vector<SearchSource> sources;
  for (const std::vector<int>& ids : sentences) {
    sources.push_back({.ids = ids, .number = sources.size()});
  }
  return sources;
}

Ids with_end(std::span<const std::vector<int>> sentences, int end) {
  std::vector<int> ids, lengths;
  for (const std::vector<int>& sentence : sentences) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    ids.push_back(end);
    lengths.push_back(static_cast<int>(sentence.size()) + 1);
  }
  return {std::move(ids), Segments::from_lengths(lengths)};
}

Ids with_end_marks(std::span<const SearchSource> sources,
                   const Seq2Seq& model) {
  std::vector<std::vector<int>> sentences;
  for (const SearchSource& source : sources) {
    sentences.emplace_back(source.ids.begin(), source.ids.end());
  }
  return with_end(sentences, model.end());
}

std::vector<std::vector<Hypothesis>> search_all(
    std::span<const Seq2Seq* const> models,
    std::span<const SearchSource> sources, const SearchAllConfig& config,
    const std::function<void(int64_t)>& done) {
  check_usage(config.batch_size >= 1, "--batch-size ", config.batch_size,
              ": give at least 1");
  std::vector<std::vector<Hypothesis>> results(sources.size());
  std::vector<int> order;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].ids.empty()) {
      results[i].emplace_back().finished = true;
    } else {
      order.push_back(static_cast<int>(i));
    }
  }
  std::mutex mutex;
  int64_t finished = std::ssize(sources) - std::ssize(order);
  const std::vector<Group> groups =
      groups_of(sources, std::move(order), config);
  parallel_tasks(std::ssize(groups), [&](int64_t g, int) {
    std::vector<SearchSource> some;
    for (int i : groups[g]) some.push_back(sources[i]);
    auto found = search(models, some, config.search);
    for (size_t i = 0; i < some.size(); ++i) {
      results[groups[g][i]] = std::move(found[i]);
    }
    const std::lock_guard<std::mutex> lock(mutex);
    finished += std::ssize(some);
    if (done) done(finished);
  });
  return results;
}

}  // namespace fovea
