#include "fovea/data/word_aligner.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/data/expectation.h"

namespace fovea {
namespace {

// No word is impossible: a pair that was never seen, or that learning gave up.
constexpr float kLeastProbability = 1e-12f;

// The logarithmic derivative of the gamma function, for x > 0.
double digamma(double x) {
  double result = 0;
  for (; x < 7; ++x) result -= 1 / x;
  const double inverse = 1 / (x * x);
  return result + std::log(x) - 0.5 / x -
         inverse * (1.0 / 12 - inverse * (1.0 / 120 - inverse / 252));
}

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

std::vector<int64_t> usable_pairs(const Sentences& source,
                                  const Sentences& target, size_t most) {
  check(source.size() == target.size(), "aligner: ", source.size(),
        " source sentences but ", target.size(), " target sentences");
  std::vector<int64_t> pairs;
  for (int64_t i = 0; i < source.size(); ++i) {
    const size_t n = source[i].size(), m = target[i].size();
    if (n > 0 && m > 0 && n <= most && m <= most) pairs.push_back(i);
  }
  return pairs;
}

// Probabilities of a row from its counts, which are 0 again. With a prior
// (MacKay 1997) small counts get less than their share, which makes rare words
// pick few translations.
class RowUpdate {
 public:
  RowUpdate(TranslationTable& table, std::optional<double> alpha)
      : table_(table), alpha_(alpha) {}

  void run(const TranslationTable::Row& row) const {
    double sum = 0;
    for (const auto& slot : table_.slots(row)) sum += slot.count;
    if (sum <= 0) return;  // no word comes from none if that is impossible
    const double log_sum =
        alpha_ ? digamma(sum + *alpha_ * table_.target_words()) : 0;
    for (auto& slot : table_.slots(row)) {
      if (slot.word < 0) continue;
      const double p =
          alpha_ ? with_prior(slot.count + *alpha_, log_sum) : slot.count / sum;
      slot.probability = std::max(static_cast<float>(p), kLeastProbability);
      slot.count = 0;
    }
  }

 private:
  static double with_prior(double count, double log_sum) {
    // Most counts are tiny; digamma(x) < 1.1 - 1 / x for those below 1.
    static const double kLeast = std::log(kLeastProbability);
    if (count < 1 && 1.1 - 1 / count - log_sum < kLeast) return 0;
    return std::exp(digamma(count) - log_sum);
  }

  TranslationTable& table_;
  std::optional<double> alpha_;
};

void maximise(TranslationTable& table, std::optional<double> alpha) {
  const RowUpdate update(table, alpha);
  parallel_for(table.row_count(), 256, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const auto& row = table.row(static_cast<int>(r) - 1);
      if (row.words > 0) update.run(row);
    }
  });
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
