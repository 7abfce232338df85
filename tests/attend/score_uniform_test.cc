#include "fovea/attend/score_uniform.h"

#include <gtest/gtest.h>

#include "support/attend_case.h"
#include "support/compare.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

TEST(UniformScore, EqualsItsTwin) {
  check_attend({.problem = {.config = {.score = "uniform", .heads = 2}},
                .score = [](const TwinPair&) { return 0.0; }});
}

TEST(UniformScore, GivesTheMeanOfTheValuesWhateverQueriesAndKeysAre) {
  const Var values = Tensor::of({3, 2}, {1, 2, 3, 4, 8, 6});
  for (uint64_t seed : {1, 2}) {
    AttendCase c{.sizes = {.query = 4, .key = 3, .value = 2},
                 .queries = {1},
                 .keys = {3},
                 .seed = seed};
    const Attended out = attend_one(bare_config("uniform"),
                                    {c.query_rows(), c.key_rows(), values});
    EXPECT_TRUE(close(out.context.value(), Doubles{4, 4}, 1e-6));
  }
}

TEST(UniformScore, HasNoParameters) {
  const auto attention =
      new_attention(bare_config("uniform"), {.query = 4, .key = 3});
  EXPECT_EQ(Params(*attention).count(), 0);
}

}  // namespace
}  // namespace fovea
