#include "fovea/attend/normaliser_topk.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/attend_parts.h"
#include "support/compare.h"
#include "support/twin_attend.h"
#include "support/twin_sparsemax.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

Doubles top2_row(const Doubles& x) {
  return twin_softmax_row(twin_keep_topk(x, {static_cast<int>(x.size())}, 2));
}

TEST(TopKNormaliser, EqualsItsTwin) {
  check_normaliser(*normaliser_part("topk", {"k=2"}), top2_row);
  check_attend(
      {.problem = {.config = {.score = "dot",
                              .normaliser = "topk",
                              .heads = 2,
                              .exclude_self = true,
                              .options = {"k=2"}}},
       .score =
           [](const TwinPair& pair) { return twin_dot(pair.q(), pair.k()); },
       .normalise = top2_row});
}

// By the fused kernel as well.
TEST(TopKNormaliser, EqualsItsTwinWithHeadsThatShareKeys) {
  for (const bool causal : {false, true}) {
    check_attend(
        {.problem = {.config = {.score = "dot",
                                .normaliser = "topk",
                                .heads = 4,
                                .kv_heads = 2,
                                .head_size = 3,
                                .temperature = 2.0f,
                                .causal = causal,
                                .options = {"k=2"}}},
         .score =
             [](const TwinPair& pair) { return twin_dot(pair.q(), pair.k()); },
         .normalise = top2_row});
  }
}

TEST(TopKNormaliser, FusedAndGeneralPathsAgree) {
  for (const char* extent : {"global", "local_m"}) {
    for (const char* position : {"none", "alibi", "rope"}) {
      AttendCase c{.config = {.extent = extent,
                              .normaliser = "topk",
                              .position = position,
                              .heads = 2,
                              .options = {"k=5"}},
                   .sizes = {.query = 8, .key = 8, .value = 8},
                   .queries = {40, 1, 0, 7, 30},
                   .keys = {50, 1, 3, 0, 31}};
      const auto attention = random_attention(c);
      const AttendRows rows = random_rows(c);
      EXPECT_TRUE(close(
          attend_once(*attention, c, rows, false).context.value().span(),
          attend_once(*attention, c, rows, true).context.value().span(), 1e-5))
          << extent << " " << position;
    }
  }
}

TEST(TopKNormaliser, TakesTheFirstOfEqualScores) {
  EXPECT_EQ(weights_of_row(*normaliser_part("topk", {"k=2"}), {1, 3, 1, 1}),
            weights_of_row(*normaliser_part("softmax"),
                           {1, 3, -INFINITY, -INFINITY}));
}

TEST(TopKNormaliser, EqualsSoftmaxWhenThereAreNoMoreKeysThanK) {
  const std::vector<float> x = {0.3f, -2, 1};
  EXPECT_EQ(weights_of_row(*normaliser_part("topk", {"k=3"}), x),
            weights_of_row(*normaliser_part("softmax"), x));
}

TEST(TopKNormaliser, RefusesToKeepNothing) {
  EXPECT_THROW(normaliser_part("topk", {"k=0"}), Error);
}

}  // namespace
}  // namespace fovea
