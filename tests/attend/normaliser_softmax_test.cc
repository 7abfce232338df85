#include "fovea/attend/normaliser_softmax.h"

#include <cmath>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/reduce.h"
#include "support/attend_parts.h"
#include "support/compare.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

Doubles exp_of(Doubles x) {
  for (double& v : x) v = std::exp(v);
  return x;
}

TEST(SoftmaxNormaliser, EqualsItsTwin) {
  check_normaliser(*normaliser_part("softmax"), twin_softmax_row);
}

TEST(SoftmaxNormaliser, TakesTheLogarithmsOfSimilarities) {
  const auto part = normaliser_part("softmax", {}, ScoreKind::kLogSimilarity);
  check_normaliser(
      *part, [](const Doubles& x) { return twin_softmax_row(exp_of(x)); });
  // SPEC A10: the softmax of 1/60 and 1/40.
  EXPECT_TRUE(close(weights_of_row(*part, {-std::log(60.0f), -std::log(40.0f)}),
                    Doubles{0.4979167, 0.5020833}, 1e-6));
}

TEST(SoftmaxNormaliser, LetsExactHitsShareTheWeight) {
  const auto part = normaliser_part("softmax", {}, ScoreKind::kLogSimilarity);
  EXPECT_EQ(weights_of_row(*part, {1e30f, 3, 1e30f, -INFINITY}),
            (std::vector<float>{0.5f, 0, 0.5f, 0}));
  const Var logs = Var::parameter(Tensor::zeros({2}));
  logs.value()[0] = 1e30f;
  sum(part->weights(logs, rows_of_keys({2})) * logs.value()).backward();
  EXPECT_EQ(logs.grad()[0], 0.0f);
  EXPECT_EQ(logs.grad()[1], 0.0f);
}

}  // namespace
}  // namespace fovea
