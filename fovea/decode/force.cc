#include "fovea/decode/force.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "fovea/data/batch.h"
#include "fovea/decode/rank.h"
#include "fovea/decode/search_all.h"
#include "fovea/kernels/softmax.h"

namespace fovea {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// The log-probability of one word, of those that it competes with.
float log_probability(std::span<const float> scores, int word,
                      std::span<const int> shortlist) {
  std::vector<float> own;
  for (int w : shortlist) own.push_back(scores[w]);
  const std::span<const float> rivals =
      shortlist.empty() ? scores : std::span<const float>(own);
  if (!shortlist.empty() && !std::ranges::binary_search(shortlist, word)) {
    return kNever;
  }
  const int count = static_cast<int>(rivals.size());
  float normaliser = 0;
  kernels::log_sum_exp(rivals.data(), {1, count, count}, {&normaliser, 1});
  return scores[word] - normaliser;
}

// Of each word of the targets.
std::vector<float> log_probabilities(const Seq2Seq& model, const Ids& targets,
                                     std::span<const SearchSource> sources,
                                     const Tensor& hidden) {
  const Tensor scores = model.readout(hidden).value();
  const auto width = static_cast<size_t>(scores.cols());
  std::vector<float> all;
  for (int b = 0; b < targets.of.count(); ++b) {
    for (int i = targets.of.begin(b); i < targets.of.end(b); ++i) {
      all.push_back(log_probability({scores.data() + i * scores.cols(), width},
                                    targets.ids[i], sources[b].shortlist));
    }
  }
  return all;
}

// The logarithm of the mean of the models' probabilities.
std::vector<float> mean(const std::vector<std::vector<float>>& said) {
  if (said.size() == 1) return said.front();
  std::vector<float> all(said.front().size());
  for (size_t i = 0; i < all.size(); ++i) {
    double sum = 0;
    for (const std::vector<float>& one : said) {
      sum += std::exp(static_cast<double>(one[i]));
    }
    all[i] = static_cast<float>(std::log(sum / std::ssize(said)));
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
  std::vector<std::vector<float>> said;
  for (const Seq2Seq* model : models) {
    Pass pass;
    if (model == &first && needs_weights) pass.trace = &trace;
    const Encoded encoded = model->encode(with_end_marks(sources, *model), {});
    const Tensor hidden = model->forced(encoded, gold, pass).hidden.value();
    said.push_back(log_probabilities(*model, gold, sources, hidden));
  }
  const std::vector<float> of_words = mean(said);
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
