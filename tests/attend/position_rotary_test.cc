#include "fovea/attend/position_rotary.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

Doubles turned(std::span<const double> x, int position, bool adjacent) {
  Doubles y(x.begin(), x.end());
  const size_t half = x.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    const double angle =
        position *
        std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half));
    const size_t a = adjacent ? 2 * i : i, b = adjacent ? a + 1 : i + half;
    y[a] = x[a] * std::cos(angle) - x[b] * std::sin(angle);
    y[b] = x[a] * std::sin(angle) + x[b] * std::cos(angle);
  }
  return y;
}

TEST(RotaryPosition, EqualsItsTwinInBothPairings) {
  for (const bool adjacent : {true, false}) {
    ComposedConfig config;
    config.position = "rope";
    config.heads = 2;
    config.head_size = 4;
    config.options = {adjacent ? "pairing=adjacent" : "pairing=half_split"};
    check_attend({.problem = {.config = config},
                  .score = [adjacent](const TwinPair& pair) {
                    const auto q =
                        turned(pair.q(), pair.query.position, adjacent);
                    const auto k = turned(pair.k(), pair.key, adjacent);
                    return twin_dot(q, k) / 2;
                  }});
  }
}

TEST(RotaryPosition, WeightsDependOnDistancesAlone) {
  ComposedConfig config;
  config.position = "rope";
  const AttendCase c{.config = config,
                     .sizes = {.query = 8, .key = 8, .value = 8},
                     .queries = {3},
                     .keys = {3}};
  const auto attention = random_attention(c);
  const AttendRows rows = random_rows(c);
  const Segments of = c.query_segments();
  // The same rows behind four others, which the queries stand 4 away from.
  const Memory memory = attention->remember({rows.keys, {}, {}, of}, {});
  const std::vector<int> here{0}, there{5};
  const auto weights = [&](const Memory& m, const std::vector<int>& at) {
    return attention
        ->attend({.rows = rows.queries,
                  .of = of,
                  .position = at,
                  .want_weights = true},
                 m, {}, {})
        .weights.values.value();
  };
  Memory later =
      attention->remember({Var(Tensor({0, 8})),
                           {},
                           {},
                           Segments::from_lengths(std::vector<int>{0})},
                          {});
  const NoGrad no_grad;
  attention->extend(later, {.keys = Var(Tensor::zeros({5, 8})),
                            .of = Segments::from_lengths(std::vector<int>{5})});
  attention->extend(later, {.keys = rows.keys, .of = of});
  const Tensor near = weights(memory, here), far = weights(later, there);
  for (int i = 0; i < 3; ++i) {
    // Among the three keys the ratios stay.
    const double a = near[i * 3] / near[i * 3 + 1];
    const double b = far[i * 8 + 5] / far[i * 8 + 6];
    EXPECT_NEAR(a / b, 1.0, 1e-4);
  }
}

TEST(RotaryPosition, RefusesHeadsOfOddSizeAndOtherScores) {
  ComposedConfig config;
  config.position = "rope";
  EXPECT_THROW(new_attention(config, {.query = 5}), Error);
  config.score = "additive";
  try {
    new_attention(config, {.query = 4});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "position rope and score additive do not go together: it "
                 "changes vectors that are multiplied");
  }
}

}  // namespace
}  // namespace fovea
