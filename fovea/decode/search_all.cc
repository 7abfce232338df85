#include "fovea/decode/search_all.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fovea/base/check.h"
#include "fovea/data/batch.h"
#include "fovea/decode/search_watch.h"

namespace fovea {

GroupLimits SearchAllConfig::limits() const {
  check_usage(batch_size >= 1, "--batch-size ", batch_size,
              ": give at least 1");
  return {std::max(1, batch_size / std::max(1, search.width())), batch_tokens};
}

namespace {

// Knows the sentences of a batch by their numbers in the whole search.
class BatchWatch : public SearchWatch {
 public:
  BatchWatch(SearchWatch& whole, const Group& batch)
      : whole_(whole), batch_(batch) {}

  bool stops(int sentence) override { return whole_.stops(batch_[sentence]); }
  bool follows(int sentence) override {
    return whole_.follows(batch_[sentence]);
  }
  void step(int sentence, const SearchStep& step) override {
    whole_.step(batch_[sentence], step);
  }
  void finished(int sentence, const std::vector<Hypothesis>& found) override {
    whole_.finished(batch_[sentence], found);
  }

 private:
  SearchWatch& whole_;
  const Group& batch_;
};

using Found = std::vector<std::vector<Hypothesis>>;

std::vector<SearchSource> chosen(std::span<const SearchSource> sources,
                                 const Group& batch) {
  std::vector<SearchSource> some;
  for (int i : batch) some.push_back(sources[i]);
  return some;
}

void put(Found of_batch, const Group& batch, Found& results) {
  for (size_t i = 0; i < batch.size(); ++i) {
    results[batch[i]] = std::move(of_batch[i]);
  }
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
  const auto work = [&](const Group& batch) {
    put(search(models, chosen(sources, batch), config.search), batch, results);
  };
  run_in_groups(lengths, config.limits(), work, done);
  return results;
}

std::vector<std::vector<Hypothesis>> search_in_turn(
    std::span<const Seq2Seq* const> models,
    std::span<const SearchSource> sources, const SearchAllConfig& config,
    SearchWatch* watch) {
  std::vector<std::vector<Hypothesis>> results(sources.size());
  std::vector<int> lengths;
  for (const SearchSource& source : sources) {
    lengths.push_back(static_cast<int>(source.ids.size()) + 1);
  }
  for (const Group& batch : groups_of(lengths, config.limits())) {
    std::optional<BatchWatch> of_batch;
    if (watch != nullptr) of_batch.emplace(*watch, batch);
    put(search(models, chosen(sources, batch), config.search,
               of_batch ? &*of_batch : nullptr),
        batch, results);
  }
  return results;
}

}  // namespace fovea
