#include "fovea/attend/normaliser_sparsemax.h"

#include "support/attend_parts.h"
#include "support/compare.h"
#include "support/twin_attend.h"
#include "support/twin_sparsemax.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

Doubles twin_row(const Doubles& x) {
  return twin_sparsemax(x, {static_cast<int>(x.size())});
}

TEST(SparsemaxNormaliser, EqualsItsTwin) {
  check_normaliser(*normaliser_part("sparsemax"), twin_row);
  check_attend(
      {.problem = {.config = {.score = "dot",
                              .normaliser = "sparsemax",
                              .heads = 2,
                              .causal = true}},
       .score =
           [](const TwinPair& pair) { return twin_dot(pair.q(), pair.k()); },
       .normalise = twin_row});
}

// SPEC A15.
TEST(SparsemaxNormaliser, HasTheNumbersOfTheSpecification) {
  const auto w =
      weights_of_row(*normaliser_part("sparsemax"), {0.1f, 1.1f, 0.2f});
  EXPECT_TRUE(close(w, Doubles{0, 0.95, 0.05}, 1e-6));
}

}  // namespace
}  // namespace fovea
