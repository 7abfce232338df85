#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "fovea/attend/registry.h"
#include "support/attend_parts.h"
#include "support/compare.h"

// What holds for every normaliser of the registry, or for those of a kind.
namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

constexpr float kHidden = -std::numeric_limits<float>::infinity();

bool sums_to_one(const std::string& name) { return name != "sigmoid"; }

ScoreKind kind_of(const std::string& name) {
  return name == "sum" ? ScoreKind::kLogSimilarity : ScoreKind::kScore;
}

// Calls law(name, part) for each.
template <class Law>
void for_normalisers(const Law& law) {
  for (const auto& entry : normaliser_registry()) {
    SCOPED_TRACE(entry.name);
    const std::string name = entry.name;
    law(name, *normaliser_part(name, {}, kind_of(name)));
  }
}

float sum_of(const std::vector<float>& x) {
  float sum = 0;
  for (float v : x) sum += v;
  return sum;
}

std::vector<float> some_scores() {
  const int exponent = *rc::gen::inRange(-4, 6);
  std::vector<float> x;
  for (int v :
       *rc::gen::container<std::vector<int>>(rc::gen::inRange(-1000, 1000))) {
    const bool hidden = *rc::gen::weightedElement<bool>({{9, 0}, {1, 1}});
    x.push_back(hidden ? kHidden
                       : std::ldexp(static_cast<float>(v), exponent - 6));
  }
  return x;
}

// SPEC Z6, P1.
TEST(NormaliserLaws, WeightsAreNeverNegativeAndSumToOne) {
  for_normalisers([](const std::string& name, const Normaliser& part) {
    EXPECT_TRUE(rc::check([&] {
      const auto x = some_scores();
      const auto w = weights_of_row(part, x);
      bool empty = true;
      for (size_t i = 0; i < x.size(); ++i) {
        RC_ASSERT(w[i] >= 0 && w[i] <= 1 + 1e-6f);
        if (x[i] == kHidden) RC_ASSERT(w[i] == 0.0f);
        empty = empty && x[i] == kHidden;
      }
      if (empty) RC_ASSERT(sum_of(w) == 0.0f);
      if (!empty && sums_to_one(name)) {
        RC_ASSERT(std::abs(sum_of(w) - 1) < 1e-5f);
      }
    }));
  });
}

// P2.
TEST(NormaliserLaws, AConstantAddedToARowChangesNothing) {
  for_normalisers([](const std::string& name, const Normaliser& part) {
    if (!sums_to_one(name)) return;
    EXPECT_TRUE(rc::check([&] {
      auto x = some_scores();
      const auto before = weights_of_row(part, x);
      for (float& v : x) v += 2.5f;
      RC_ASSERT(close(weights_of_row(part, x), before, 1e-4));
    }));
  });
}

// P6.
TEST(NormaliserLaws, OneKeyHasTheWholeWeight) {
  for_normalisers([](const std::string& name, const Normaliser& part) {
    if (!sums_to_one(name)) return;
    for (float score : {-50.0f, 0.0f, 3.0f, 1e20f}) {
      EXPECT_NEAR(weights_of_row(part, {score})[0], 1.0f, 1e-6f) << score;
      EXPECT_NEAR(weights_of_row(part, {kHidden, score})[1], 1.0f, 1e-6f);
    }
  });
}

// P7. Eight keys, of which topk takes all.
TEST(NormaliserLaws, EqualScoresHaveEqualWeights) {
  for_normalisers([](const std::string& name, const Normaliser& part) {
    for (float score : {-3.0f, 0.0f, 700.0f}) {
      const auto w = weights_of_row(part, std::vector<float>(8, score));
      for (float v : w) EXPECT_EQ(v, w[0]);
      if (!sums_to_one(name)) continue;
      EXPECT_NEAR(w[0], 0.125f, 1e-6f);
    }
  });
}

TEST(NormaliserLaws, ScoresAreTakenByTheirKind) {
  for (const auto& entry : normaliser_registry()) {
    SCOPED_TRACE(entry.name);
    const std::string name = entry.name;
    const auto part = normaliser_part(name);
    EXPECT_EQ(part->takes(ScoreKind::kScore), name != "sum");
    EXPECT_EQ(part->takes(ScoreKind::kLogSimilarity),
              name == "sum" || name == "softmax");
    EXPECT_FALSE(part->takes(ScoreKind::kWeight));
  }
}

}  // namespace
}  // namespace fovea
