#include "fovea/attend/normaliser_entmax15.h"

#include "support/attend_parts.h"
#include "support/compare.h"
#include "support/twin_attend.h"
#include "support/twin_sparsemax.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

Doubles twin_row(const Doubles& x) {
  return twin_entmax15(x, {static_cast<int>(x.size())});
}

TEST(Entmax15Normaliser, EqualsItsTwin) {
  check_normaliser(*normaliser_part("entmax15"), twin_row);
  check_attend(
      {.problem = {.config = {.score = "dot",
                              .normaliser = "entmax15",
                              .heads = 2,
                              .causal = true}},
       .score =
           [](const TwinPair& pair) { return twin_dot(pair.q(), pair.k()); },
       .normalise = twin_row});
}

TEST(Entmax15Normaliser, LiesBetweenSoftmaxAndSparsemax) {
  const std::vector<float> x = {0.1f, 1.4f, 0.2f};
  const float soft = weights_of_row(*normaliser_part("softmax"), x)[1];
  const float between = weights_of_row(*normaliser_part("entmax15"), x)[1];
  const float sparse = weights_of_row(*normaliser_part("sparsemax"), x)[1];
  EXPECT_LT(soft, between);
  EXPECT_LT(between, sparse);
}

}  // namespace
}  // namespace fovea
