#include "fovea/attend/score_dot.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

double scaled_dot(const TwinPair& pair) {
  return twin_dot(pair.q(), pair.k()) /
         std::sqrt(static_cast<double>(pair.q().size()));
}

TEST(DotScore, EqualsItsTwin) {
  check_attend({.problem = {.config = {.score = "dot"}},
                .score = [](const TwinPair& pair) {
                  return twin_dot(pair.q(), pair.k());
                }});
}

TEST(ScaledDotScore, EqualsItsTwin) {
  check_attend({.problem = {}, .score = scaled_dot});
}

TEST(ScaledDotScore, EqualsItsTwinWithHeadsThatShareKeys) {
  check_attend({.problem = {.config = {.heads = 4,
                                       .kv_heads = 2,
                                       .head_size = 3,
                                       .temperature = 2.0f},
                            .sizes = {.query = 5, .key = 4, .value = 7}},
                .score = scaled_dot});
}

TEST(ScaledDotScore, EqualsItsTwinWhereItIsCausalAndLeavesOutItself) {
  check_attend({.problem = {.config = {.causal = true}}, .score = scaled_dot});
  check_attend(
      {.problem = {.config = {.exclude_self = true}}, .score = scaled_dot});
  check_attend({.problem = {.config = {.causal = true, .exclude_self = true}},
                .score = scaled_dot});
}

}  // namespace
}  // namespace fovea
