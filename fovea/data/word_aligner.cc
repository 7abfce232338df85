#include "fovea/data/word_aligner.h"

#include <algorithm>
#include <optional>

#include "fovea/base/check.h"
#include "fovea/data/aligner_steps.h"
#include "fovea/data/expectation.h"

namespace fovea {
namespace {

void check_config(const AlignerConfig& c) {
  check_usage(c.ibm1_iterations >= 0 && c.diagonal_iterations >= 0,
              "aligner: iterations cannot be below 0");
  check_usage(c.null_probability >= 0 && c.null_probability < 1,
              "aligner: null_probability ", c.null_probability,
              " is not from 0 to below 1");
  check_usage(c.tension > 0 && c.alpha > 0,
              "aligner: tension and alpha must be above 0");
  check_usage(c.max_words >= 1 && c.max_words <= 10000, "aligner: max_words ",
              c.max_words, " is not from 1 to 10000");
}

}  // namespace

WordAligner WordAligner::train(
    const Sentences& source, const Sentences& target,
    const AlignerConfig& config,
    const std::function<void(const AlignerStep&)>& after) {
  check_config(config);
  const std::vector<int64_t> pairs =
      usable_pairs(source, target, config.max_words);
  WordAligner aligner(TranslationTable(source, target, pairs), config);
  Expectation expectation(source, target, pairs);
  const int last = config.ibm1_iterations + config.diagonal_iterations;
  for (int iteration = 1; iteration <= last; ++iteration) {
    const bool diagonal = iteration > config.ibm1_iterations;
    const Expectation::Result result = expectation.run(
        aligner.table_, {.diagonal = diagonal,
                         .tension = aligner.tension_,
                         .null_probability = config.null_probability});
    // While all is still open, a prior would decide too early.
    const bool bayes = diagonal && config.variational_bayes;
    maximise(aligner.table_,
             bayes ? std::optional(config.alpha) : std::nullopt);
    if (diagonal && config.optimise_tension) {
      aligner.tension_ =
          fit_tension(result.counts, result.distance, aligner.tension_);
    }
    if (after) {
      after({iteration, diagonal, result.log_likelihood, aligner.tension_});
    }
  }
  return aligner;
}

WordLinks WordAligner::align(std::span<const int> source,
                             std::span<const int> target) const {
  WordLinks links;
  const Lengths of{static_cast<int>(source.size()),
                   static_cast<int>(target.size())};
  const PlacePrior prior{.diagonal = config_.diagonal_iterations > 0,
                         .tension = tension_,
                         .null_probability = config_.null_probability};
  std::vector<float> places(source.size());
  const auto score = [&](float place, int from, int to) {
    return place * std::max(kLeastProbability, probability(from, to));
  };
  for (int j = 0; j < of.target && of.source > 0; ++j) {
    prior.fill(of, j + 1, places);
    float best = score(static_cast<float>(config_.null_probability),
                       TranslationTable::kNull, target[j]);
    int from = -1;
    for (int i = 0; i < of.source; ++i) {
      const float here = score(places[i], source[i], target[j]);
      if (here > best) {
        best = here;
        from = i;
      }
    }
    if (from >= 0) links.emplace_back(from, j);
  }
  return links;
}

std::vector<WordTranslation> WordAligner::translations(int source,
                                                       int most) const {
  std::vector<WordTranslation> all;
  if (source < 0 || source + 1 >= table_.row_count()) return all;
  for (const auto& slot : table_.slots(table_.row(source))) {
    if (slot.word >= 0) all.push_back({slot.word, slot.probability});
  }
  const auto better = [](const WordTranslation& a, const WordTranslation& b) {
    return a.probability != b.probability ? a.probability > b.probability
                                          : a.word < b.word;
  };
  const auto kept = std::min<size_t>(all.size(), std::max(0, most));
  std::partial_sort(all.begin(), all.begin() + static_cast<int64_t>(kept),
                    all.end(), better);
  all.resize(kept);
  return all;
}

}  // namespace fovea
