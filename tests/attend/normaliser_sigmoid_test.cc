#include "fovea/attend/normaliser_sigmoid.h"

#include <cmath>

#include "support/attend_parts.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

Doubles sigmoid_row(Doubles x) {
  for (double& v : x) v = 1 / (1 + std::exp(-v));
  return x;
}

TEST(SigmoidNormaliser, EqualsItsTwin) {
  check_normaliser(*normaliser_part("sigmoid"), sigmoid_row);
  check_attend(
      {.problem = {.config = {.score = "dot",
                              .normaliser = "sigmoid",
                              .heads = 2,
                              .exclude_self = true}},
       .score =
           [](const TwinPair& pair) { return twin_dot(pair.q(), pair.k()); },
       .normalise = sigmoid_row});
}

}  // namespace
}  // namespace fovea
