#include "fovea/data/hmm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/rng.h"

namespace fovea {
namespace {

constexpr double kNone = 0.2;

std::vector<float> random_words(int n, int m, uint64_t seed) {
  std::vector<float> words((n + 1) * m);
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = 0.01f + random_uniform(RandomKey(seed), i);
  }
  return words;
}

// The same sums over all paths, one after another. A state is a place, from
// whose word or from none.
HmmPosterior all_paths(const HmmPair& pair) {
  const int n = pair.of.source, m = pair.of.target, states = 2 * n;
  HmmPosterior result{std::vector<float>((n + 1) * m),
                      std::vector<double>(Jumps::kSlots)};
  const auto move = [&](int from, int to) {
    double sum = 0;
    for (int b = 0; b < n; ++b) sum += pair.jumps[b - from];
    return pair.jumps[to - from] / sum;
  };
  std::vector<double> links((n + 1) * m);
  double total = 0;
  for (int path = 0; path < std::pow(states, m); ++path) {
    double p = 1;
    int last = -1, rest = path;
    std::vector<int> rows, jumps;
    for (int j = 0; j < m; ++j, rest /= states) {
      const int state = rest % states, place = state % n;
      const bool none = state >= n;
      if (none && j > 0 && place != last) p = 0;
      if (j == 0) p *= move(-1, place);
      if (j > 0 && !none) p *= move(last, place);
      if (!none) jumps.push_back(place - last);
      p *= none ? kNone * pair.words[j]
                : (1 - kNone) * pair.words[(place + 1) * m + j];
      rows.push_back(none ? 0 : place + 1);
      last = place;
    }
    total += p;
    for (int j = 0; j < m; ++j) links[rows[j] * m + j] += p;
    for (int jump : jumps) result.jumps[Jumps::slot(jump)] += p;
  }
  for (size_t i = 0; i < links.size(); ++i) {
    result.links[i] = static_cast<float>(links[i] / total);
  }
  for (double& x : result.jumps) x /= total;
  result.log_likelihood = std::log(total);
  return result;
}

TEST(Hmm, GivesTheSumsOverAllPaths) {
  for (const Lengths of : {Lengths{1, 1}, {1, 3}, {3, 1}, {2, 4}, {3, 4}}) {
    std::vector<double> counts(Jumps::kSlots);
    for (int jump = -3; jump <= 4; ++jump) {
      counts[Jumps::slot(jump)] = 1 + random_uniform(RandomKey(7), jump + 9);
    }
    Jumps jumps;
    jumps.fit(counts);
    const std::vector<float> words = random_words(of.source, of.target, 3);
    const HmmPair pair{of, words, jumps, kNone};
    const HmmPosterior found = hmm_posterior(pair), wanted = all_paths(pair);
    EXPECT_NEAR(found.log_likelihood, wanted.log_likelihood, 1e-9);
    for (size_t i = 0; i < words.size(); ++i) {
      EXPECT_NEAR(found.links[i], wanted.links[i], 1e-6) << i;
    }
    for (int i = 0; i < Jumps::kSlots; ++i) {
      EXPECT_NEAR(found.jumps[i], wanted.jumps[i], 1e-6) << i;
    }
  }
}

TEST(Hmm, TakesLongSentencesAndImpossibleWords) {
  constexpr int kWords = 300;
  const std::vector<float> words((kWords + 1) * kWords, 1e-12f);
  const HmmPosterior found =
      hmm_posterior({{kWords, kWords}, words, Jumps(), 0.08});
  EXPECT_TRUE(std::isfinite(found.log_likelihood));
  for (int j = 0; j < kWords; ++j) {
    double sum = 0;
    for (int i = 0; i <= kWords; ++i) sum += found.links[i * kWords + j];
    EXPECT_NEAR(sum, 1, 1e-4);
  }
}

TEST(Jumps, AreInProportionToCountsAndNeverImpossible) {
  std::vector<double> counts(Jumps::kSlots);
  Jumps jumps;
  EXPECT_EQ(jumps[-3], jumps[900]);
  jumps.fit(counts);
  EXPECT_EQ(jumps[0], jumps[1]) << "nothing was counted";
  counts[Jumps::slot(1)] = 6;
  counts[Jumps::slot(-200)] = 2;
  jumps.fit(counts);
  EXPECT_DOUBLE_EQ(jumps[1], 3 * jumps[-50]);
  EXPECT_GT(jumps[7], 0);
}

}  // namespace
}  // namespace fovea
