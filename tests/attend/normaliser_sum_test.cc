#include "fovea/attend/normaliser_sum.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/attend_parts.h"
#include "support/compare.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

Doubles sum_row(const Doubles& logs) {
  double sum = 0;
  Doubles y;
  for (double v : logs) sum += std::exp(v);
  for (double v : logs) y.push_back(std::exp(v) / sum);
  return y;
}

std::unique_ptr<Normaliser> sum_part() {
  return normaliser_part("sum", {}, ScoreKind::kLogSimilarity);
}

TEST(SumNormaliser, EqualsItsTwin) { check_normaliser(*sum_part(), sum_row); }

// SPEC A10: distances 60 and 40.
TEST(SumNormaliser, HasTheNumbersOfTheSpecification) {
  EXPECT_TRUE(
      close(weights_of_row(*sum_part(), {-std::log(60.0f), -std::log(40.0f)}),
            Doubles{0.4, 0.6}, 1e-6));
}

TEST(SumNormaliser, LetsExactHitsShareTheWeight) {
  EXPECT_EQ(weights_of_row(*sum_part(), {1e30f, 20, 1e30f, -INFINITY}),
            (std::vector<float>{0.5f, 0, 0.5f, 0}));
}

TEST(SumNormaliser, IsChosenForSimilaritiesOnly) {
  EXPECT_FALSE(normaliser_part("auto", {}, ScoreKind::kLogSimilarity)
                   ->takes(ScoreKind::kScore));
  try {
    make_attention({.score = "dot", .normaliser = "sum"}, {.query = 4},
                   RandomKey{1});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("score dot and normaliser sum"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace fovea
