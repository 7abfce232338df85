#include "fovea/attend/extent_last.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "support/attend_case.h"
#include "support/compare.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

TEST(LastExtent, EqualsItsTwin) {
  check_attend(
      {.problem = {.config = {.extent = "last", .heads = 2}},
       .score =
           [](const TwinPair& pair) {
             return twin_dot(pair.q(), pair.k()) /
                    std::sqrt(static_cast<double>(pair.q().size()));
           },
       .window =
           [](const TwinQuery& query) {
             return TwinAttend::Window{std::max(0, query.keys - 1), query.keys};
           }});
}

TEST(LastExtent, GivesTheLastValueOfASequence) {
  ComposedConfig config = bare_config("dot");
  config.extent = "last";
  const Var rows = Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6});
  const Attended out = attend_one(config, {rows, rows, rows});
  EXPECT_TRUE(close(out.context.value(), Doubles{5, 6, 5, 6, 5, 6}, 1e-6));
}

TEST(LastExtent, IsNotCausal) {
  ComposedConfig config = bare_config("dot");
  config.extent = "last";
  config.causal = true;
  EXPECT_THROW(new_attention(config, {.query = 4}), Error);
}

}  // namespace
}  // namespace fovea
