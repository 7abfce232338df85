#include "fovea/decode/force.h"

#include <algorithm>
#include <limits>

#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "fovea/data/batch.h"
#include "fovea/decode/rank.h"
#include "fovea/decode/search_all.h"
#include "fovea/decode/vote.h"
#include "fovea/kernels/softmax.h"

namespace fovea {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// The words that each row of the targets competes with; none: all.
std::vector<std::span<const int>> rivals_of(
    const Ids& targets, std::span<const SearchSource> sources) {
  std::vector<std::span<const int>> all;
  if (sources.front().shortlist.empty()) return all;
  for (int b = 0; b < targets.of.count(); ++b) {
    all.insert(all.end(), targets.of.length(b), sources[b].shortlist);
  }
  return all;
}

// Of each word of the targets, from its row of scores.
std::vector<float> log_probabilities(
    const Tensor& scores, std::span<const int> words,
    std::span<const std::span<const int>> rivals) {
  std::vector<float> all;
  for (size_t i = 0; i < words.size(); ++i) {
    const float* row = scores.data() + i * scores.cols();
    auto count = static_cast<int>(scores.cols());
    int column = words[i];
    if (!rivals.empty()) {
      const auto at = std::ranges::lower_bound(rivals[i], column);
      const bool listed = at != rivals[i].end() && *at == column;
      column = listed ? static_cast<int>(at - rivals[i].begin()) : -1;
      count = static_cast<int>(rivals[i].size());
    }
    float normaliser = 0;
    kernels::log_sum_exp(row, {1, count, count}, {&normaliser, 1});
    all.push_back(column < 0 ? kNever : row[column] - normaliser);
  }
  return all;
}

}  // namespace

std::vector<Hypothesis> force(std::span<const Seq2Seq* const> models,
                              std::span<const SearchSource> sources,
                              std::span<const std::vector<int>> targets,
                              const SearchConfig& config) {
  check(sources.size() == targets.size(), "force: ", sources.size(),
        " sources, ", targets.size(), " targets");
  if (sources.empty()) return {};
  const NoGrad none;
  const bool needs_weights = config.want_weights || config.coverage_penalty > 0;
  const Seq2Seq& first = *models.front();
  Trace trace({{first.alignment_layer(), config.heads}});
  const Ids gold = with_end(targets, first.end());
  const auto rivals = rivals_of(gold, sources);
  Vote vote(models.size());
  for (const Seq2Seq* model : models) {
    Pass pass;
    if (model == &first && needs_weights) pass.trace = &trace;
    const Encoded encoded = model->encode(with_end_marks(sources, *model), {});
    const Var hidden = model->forced(encoded, gold, pass).hidden;
    const Tensor said = model->readout(hidden).value();
    vote.add(rivals.empty() ? said : own_columns(said, rivals));
  }
  const std::vector<float> of_words =
      log_probabilities(vote.result(), gold.ids, rivals);
  std::vector<Hypothesis> results;
  for (int b = 0; b < gold.of.count(); ++b) {
    Hypothesis h;
    h.ids = targets[b];
    h.finished = true;
    h.log_probabilities.assign(of_words.begin() + gold.of.begin(b),
                               of_words.begin() + gold.of.end(b));
    if (!trace.records().empty()) {
      const Tensor weights = trace.records().front().mean_weights(b);
      h.weights.assign(weights.span().begin(), weights.span().end());
    }
    rank(h, sources[b].ids.size() + 1, config);
    results.push_back(std::move(h));
  }
  return results;
}

}  // namespace fovea
