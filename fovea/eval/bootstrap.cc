#include "fovea/eval/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/base/rng.h"

namespace fovea {
namespace {

constexpr double kRounding = 1e-9;  // of scores that are equal

RandomKey key_of(const PairedOptions& options, int64_t sample) {
  return RandomKey(static_cast<uint64_t>(options.seed))
      .with(static_cast<uint64_t>(sample));
}

void add(std::span<double> sums, std::span<const double> row) {
  for (size_t k = 0; k < sums.size(); ++k) sums[k] += row[k];
}

// Calls body(sample) for each one, on all threads.
void for_each_sample(const PairedOptions& options,
                     FunctionRef<void(int64_t)> body) {
  parallel_for(samples_of(options), 1, [&](int64_t begin, int64_t end) {
    for (int64_t sample = begin; sample < end; ++sample) body(sample);
  });
}

// The scores of corpora that are drawn, sentence by sentence, from this one.
std::vector<double> bootstrap_scores(const Metric& metric,
                                     const MetricCounts& counts,
                                     const PairedOptions& options) {
  std::vector<double> scores(samples_of(options));
  const auto sentences = static_cast<uint32_t>(counts.sentences());
  for_each_sample(options, [&](int64_t sample) {
    const RandomKey key = key_of(options, sample);
    std::vector<double> sums(counts.width());
    for (uint32_t i = 0; i < sentences; ++i) {
      add(sums, counts.row(random_below(key, i, sentences)));
    }
    scores[sample] = metric.score(sums);
  });
  return scores;
}

struct TwoScores {
  std::vector<double> base, other;
};

// The scores of systems that swap about half of their sentences.
TwoScores swapped_scores(const Metric& metric, const MetricCounts& base,
                         const MetricCounts& other,
                         const PairedOptions& options) {
  TwoScores scores{std::vector<double>(samples_of(options)),
                   std::vector<double>(samples_of(options))};
  const auto sentences = static_cast<uint32_t>(base.sentences());
  for_each_sample(options, [&](int64_t sample) {
    const RandomKey key = key_of(options, sample);
    std::vector<double> a(base.width()), b(base.width());
    for (uint32_t i = 0; i < sentences; ++i) {
      const bool swap = random_bits(key, i) >> 31;
      add(swap ? b : a, base.row(i));
      add(swap ? a : b, other.row(i));
    }
    scores.base[sample] = metric.score(a);
    scores.other[sample] = metric.score(b);
  });
  return scores;
}

}  // namespace

int samples_of(const PairedOptions& options) {
  if (options.samples > 0) return options.samples;
  return options.test == PairedTest::kBootstrap ? 1000 : 10000;
}

Spread bootstrap_spread(const Metric& metric, const MetricCounts& counts,
                        const PairedOptions& options) {
  std::vector<double> scores = bootstrap_scores(metric, counts, options);
  std::sort(scores.begin(), scores.end());
  const size_t outside = scores.size() / 40;  // at each end
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  return {sum / static_cast<double>(scores.size()),
          (scores[scores.size() - 1 - outside] - scores[outside]) / 2};
}

PairedResult paired_test(const Metric& metric, const MetricCounts& base,
                         const MetricCounts& other,
                         const PairedOptions& options) {
  check(base.sentences() == other.sentences() && base.width() == other.width(),
        "paired test of ", base.sentences(), " and ", other.sentences(),
        " sentences");
  const bool bootstrap = options.test == PairedTest::kBootstrap;
  const TwoScores scores =
      bootstrap ? TwoScores{bootstrap_scores(metric, base, options),
                            bootstrap_scores(metric, other, options)}
                : swapped_scores(metric, base, other, options);
  PairedResult result;
  result.difference = metric.score(other.sums()) - metric.score(base.sums());
  std::vector<double> differences;
  double wins = 0;
  for (size_t i = 0; i < scores.base.size(); ++i) {
    const double d = scores.other[i] - scores.base[i];
    differences.push_back(std::abs(d));
    wins += metric.higher_is_better() ? d > 0 : d < 0;
  }
  const auto samples = static_cast<double>(differences.size());
  const double mean =
      std::accumulate(differences.begin(), differences.end(), 0.0) / samples;
  const double limit = std::abs(result.difference) + (bootstrap ? mean : 0);
  const auto as_large =
      std::count_if(differences.begin(), differences.end(),
                    [&](double d) { return d >= limit - kRounding; });
  result.p = static_cast<double>(as_large + 1) / (samples + 1);
  if (bootstrap) result.wins = wins / samples;
  return result;
}

}  // namespace fovea
