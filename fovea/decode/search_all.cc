#include "fovea/decode/search_all.h"

#include "fovea/data/batch.h"
#include "fovea/decode/groups.h"

namespace fovea {
std::vector<SearchSource> sources_of(
    std::span<const std::vector<int>> sentences) {
  std::vector<SearchSource> sources;
  for (const std::vector<int>& ids : sentences) {
    sources.push_back({.ids = ids, .number = sources.size()});
  }
  return sources;
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
  std::vector<std::vector<Hypothesis>> results(sources.size());
  std::vector<int> lengths;
  for (size_t i = 0; i < sources.size(); ++i) {
    const bool empty = sources[i].ids.empty();
    if (empty) results[i].emplace_back().finished = true;
    lengths.push_back(empty ? 0 : static_cast<int>(sources[i].ids.size()) + 1);
  }
  const auto work = [&](const Group& group) {
    std::vector<SearchSource> some;
    for (int i : group) some.push_back(sources[i]);
    auto found = search(models, some, config.search);
    for (size_t i = 0; i < some.size(); ++i) {
      results[group[i]] = std::move(found[i]);
    }
  };
  run_in_groups(lengths, {config.batch_size, config.batch_tokens}, work, done);
  return results;
}

}  // namespace fovea
