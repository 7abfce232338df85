#include "fovea/attend/position_absolute.h"

#include <cmath>

#include "fovea/base/check.h"
#include "fovea/layers/position_codes.h"
#include "support/compare.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

TEST(AbsolutePosition, AddsTheCodesToQueriesAndKeysOnly) {
  for (const char* position : {"sinusoidal", "learned"}) {
    ComposedConfig config = bare_config("dot");
    config.position = position;
    const AttendCase c{.config = config,
                       .sizes = {.query = 6, .key = 6, .value = 6}};
    const auto attention = random_attention(c);
    const AttendRows rows = random_rows(c);
    const Attended with = attend_once(*attention, c, rows, true);

    // The same by hand, on an attention without positions.
    const auto code = [&](int at) {
      const std::vector<int> one{at};
      if (position == std::string("sinusoidal"))
        return sinusoidal_codes(one, 6);
      return param(*attention, "position.codes.table")
          .value()
          .row_range(at, at + 1);
    };
    const auto placed = [&](const Var& x, const Segments& of) {
      Tensor y = x.value().clone();
      for (int b = 0; b < of.count(); ++b) {
        for (int i = 0; i < of.length(b); ++i) {
          for (int d = 0; d < 6; ++d) {
            y[(of.begin(b) + i) * 6 + d] += code(i)[d];
          }
        }
      }
      return y;
    };
    AttendCase plain = c;
    plain.config = bare_config("dot");
    const Attended without =
        attend_once(*random_attention(plain), plain,
                    {placed(rows.queries, c.query_segments()),
                     placed(rows.keys, c.key_segments()), rows.values},
                    true);
    EXPECT_TRUE(close(with.weights.values.value().span(),
                      without.weights.values.value().span(), 1e-5));
    EXPECT_TRUE(close(with.context.value().span(),
                      without.context.value().span(), 1e-5));
  }
}

// SPEC C1: the mean of the outputs, for two orders of the same tokens.
TEST(Positions, TellOrdersApartThatAreAlikeWithoutThem) {
  for (const char* position :
       {"none", "learned", "sinusoidal", "alibi", "relative", "rope"}) {
    ComposedConfig config;
    config.position = position;
    config.heads = 2;
    const AttendCase c{.config = config,
                       .sizes = {.query = 8, .key = 8, .value = 8},
                       .queries = {4},
                       .keys = {4}};
    const auto attention = random_attention(c);
    const Tensor x = random_rows(c).keys.value();
    Tensor other = x.clone();  // "are you" for "you are"
    std::swap_ranges(other.data(), other.data() + 8, other.data() + 8);
    const auto pooled = [&](const Tensor& rows) {
      const Tensor y =
          attention->self(rows, c.query_segments(), {}).context.value();
      Doubles mean(8);
      for (int64_t i = 0; i < y.size(); ++i) mean[i % 8] += y[i] / 4;
      return mean;
    };
    const Doubles a = pooled(x), b = pooled(other);
    double difference = 0;
    for (int d = 0; d < 8; ++d) {
      difference = std::max(difference, std::abs(a[d] - b[d]));
    }
    if (position == std::string("none")) {
      EXPECT_LT(difference, 1e-6);
    } else {
      EXPECT_GT(difference, 1e-4) << position;
    }
  }
}

}  // namespace
}  // namespace fovea
