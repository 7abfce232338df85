#include "fovea/eval/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/base/rng.h"
#include "fovea/eval/accuracy.h"
#include "fovea/eval/error_rate.h"

namespace fovea {
namespace {

const Accuracy kExact(AccuracyOf::kLines);

// Sentences of which so many are right, in an order of its own.
MetricCounts lines(int sentences, double right, uint64_t seed) {
  MetricCounts counts(sentences, 2);
  for (int i = 0; i < sentences; ++i) {
    counts.row(i)[0] = random_uniform(RandomKey(seed), i) < right;
    counts.row(i)[1] = 1;
  }
  return counts;
}

PairedResult test(PairedTest kind, const MetricCounts& a,
                  const MetricCounts& b) {
  return paired_test(kExact, a, b, {.test = kind, .samples = 1000});
}

TEST(PairedTest, TellsAClearDifferenceFromChance) {
  const MetricCounts base = lines(500, 0.5, 1), alike = lines(500, 0.5, 2),
                     better = lines(500, 0.75, 3);
  for (PairedTest kind : {PairedTest::kBootstrap, PairedTest::kRandomisation}) {
    EXPECT_LT(test(kind, base, better).p, 0.01);
    EXPECT_GT(test(kind, base, better).difference, 15);
    EXPECT_GT(test(kind, base, alike).p, 0.1);
  }
  EXPECT_GT(*test(PairedTest::kBootstrap, base, better).wins, 0.99);
  EXPECT_FALSE(test(PairedTest::kRandomisation, base, better).wins);
}

TEST(PairedTest, FindsNoDifferenceBetweenASystemAndItself) {
  const MetricCounts base = lines(100, 0.5, 1);
  for (PairedTest kind : {PairedTest::kBootstrap, PairedTest::kRandomisation}) {
    const PairedResult same = test(kind, base, base);
    EXPECT_EQ(same.difference, 0);
    EXPECT_EQ(same.wins.value_or(0), 0);
    EXPECT_EQ(same.p, 1);
  }
}

TEST(PairedTest, CountsFewerErrorsAsAWin) {
  const ErrorRate wer({});
  MetricCounts base(50, 4), better(50, 4);
  for (int i = 0; i < 50; ++i) {
    base.row(i)[0] = 3;
    better.row(i)[0] = 1;
    base.row(i)[3] = better.row(i)[3] = 10;
  }
  EXPECT_EQ(*paired_test(wer, base, better).wins, 1);
  EXPECT_NEAR(paired_test(wer, base, better).difference, -20, 1e-9);
}

TEST(PairedTest, DependsOnTheSeedAndNotOnThreads) {
  const MetricCounts a = lines(200, 0.5, 1), b = lines(200, 0.55, 2);
  const auto p = [&](int threads, int64_t seed) {
    ThreadLimit limit(threads);
    return paired_test(kExact, a, b, {.samples = 300, .seed = seed}).p;
  };
  EXPECT_EQ(p(1, 5), p(4, 5));
  EXPECT_NE(p(1, 5), p(1, 6));
}

TEST(PairedTest, RefusesDifferentCorpora) {
  EXPECT_THROW(paired_test(kExact, lines(3, 0.5, 1), lines(4, 0.5, 1)), Error);
}

// Of a mean of n draws: 1.96 sqrt(p (1 - p) / n).
TEST(BootstrapSpread, HasTheWidthOfAMean) {
  const MetricCounts counts = lines(400, 0.5, 7);
  const double mean = kExact.score(counts.sums());
  const Spread spread = bootstrap_spread(kExact, counts);
  EXPECT_NEAR(spread.mean, mean, 0.5);
  EXPECT_NEAR(spread.half_width, 196 * std::sqrt(0.25 / 400), 0.7);
}

TEST(PairedOptions, HaveTheUsualNumbersOfSamples) {
  EXPECT_EQ(samples_of({}), 1000);
  EXPECT_EQ(samples_of({.test = PairedTest::kRandomisation}), 10000);
  EXPECT_EQ(samples_of({.samples = 7}), 7);
}

}  // namespace
}  // namespace fovea
