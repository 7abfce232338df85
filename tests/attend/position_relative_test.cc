#include "fovea/attend/position_relative.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

ComposedConfig relative_config(int reach, bool values) {
  ComposedConfig config;
  config.position = "relative";
  config.options = {join("reach=", reach),
                    join("use-value-table=", values ? "true" : "false")};
  return config;
}

TEST(RelativePosition, EqualsItsTwin) {
  ComposedConfig config = relative_config(2, false);
  config.heads = 2;
  check_attend({.problem = {.config = config,
                            .sizes = {.query = 8, .key = 8, .value = 8}},
                .score = [](const TwinPair& pair) {
                  const Doubles& table = pair.query.param("position.keys");
                  const int r =
                      std::clamp(pair.key - pair.query.position, -2, 2) + 2;
                  Doubles k(pair.k().begin(), pair.k().end());
                  for (size_t c = 0; c < k.size(); ++c) {
                    k[c] += table[r * k.size() + c];
                  }
                  return twin_dot(pair.q(), k) / 2;
                }});
}

TEST(RelativePosition, AddsTheVectorsOfTheWeightsToTheValues) {  // SPEC C5
  ComposedConfig config = relative_config(2, true);
  config.heads = 2;
  config.out_proj = false;
  AttendCase c{.config = config, .sizes = {.query = 8, .key = 8, .value = 8}};
  c.keys = c.queries = {4};
  const auto attention = random_attention(c);
  const AttendRows rows = random_rows(c);
  const Attended with = attend_once(*attention, c, rows, true);
  Var& table = param(*attention, "position.values");
  const Tensor values = table.value().clone();
  table.value().fill(0.0f);
  const Attended without = attend_once(*attention, c, rows, true);
  const int index[4][4] = {
      {2, 3, 4, 4}, {1, 2, 3, 4}, {0, 1, 2, 3}, {0, 0, 1, 2}};
  for (int i = 0; i < 4; ++i) {
    for (int h = 0; h < 2; ++h) {
      for (int d = 0; d < 4; ++d) {
        double expected = without.context.value()[(i * 2 + h) * 4 + d];
        for (int j = 0; j < 4; ++j) {
          expected += double{with.weights.values
                                 .value()[with.weights.pairs.begin(i, h) + j]} *
                      values[index[i][j] * 4 + d];
        }
        EXPECT_NEAR(with.context.value()[(i * 2 + h) * 4 + d], expected, 1e-5);
      }
    }
  }
}

TEST(RelativePosition, WithoutReachLeavesTheWeightsAsTheyAre) {
  const AttendCase c{.config = relative_config(0, false),
                     .sizes = {.query = 6, .key = 6, .value = 6}};
  const auto relative = random_attention(c);
  AttendCase plain = c;
  plain.config = {};
  const auto none = random_attention(plain);
  for (const char* name :
       {"query.weight", "key.weight", "query.bias", "key.bias"}) {
    param(*relative, name) = param(*none, name);
  }
  const AttendRows rows = random_rows(c);
  EXPECT_TRUE(close(
      attend_once(*relative, c, rows, true).weights.values.value().span(),
      attend_once(*none, c, rows, true).weights.values.value().span(), 1e-5));
}

TEST(RelativePosition, WithTablesOfZerosIsMultiHeadAttention) {
  ComposedConfig config = relative_config(2, true);
  config.heads = 2;
  const AttendCase c{.config = config};
  const auto relative = random_attention(c);
  param(*relative, "position.keys").value().fill(0);
  param(*relative, "position.values").value().fill(0);
  AttendCase plain = c;
  plain.config = {.heads = 2};
  const auto none = random_attention(plain);
  const Params params(*none);
  for (const auto& [name, value] : params.parameters()) {
    *value = param(*relative, name);
  }
  const AttendRows rows = random_rows(c);
  EXPECT_TRUE(
      close(attend_once(*relative, c, rows, false).context.value().span(),
            attend_once(*none, c, rows, false).context.value().span(), 1e-5));
}

// The same rows further on in their sequence, behind others that a window
// leaves out.
TEST(RelativePosition, DoesNotSeeWhereTheSequenceStands) {
  ComposedConfig config = relative_config(3, true);
  config.extent = "local_m";
  config.options.push_back("window=2");
  const AttendCase c{.config = config, .queries = {9}, .keys = {9}};
  const auto attention = random_attention(c);
  const AttendRows rows = random_rows(c);
  const Tensor x = rows.keys.value();
  const Tensor y = attention->self(x, c.key_segments(), {}).context.value();
  Tensor later = Tensor::zeros({14, 6});
  later.row_range(5, 14).copy_from(x);
  const Segments of = Segments::from_lengths(std::vector<int>{14});
  const Tensor shifted = attention->self(later, of, {}).context.value();
  EXPECT_TRUE(
      close(shifted.row_range(7, 14).span(), y.row_range(2, 9).span(), 1e-5));
}

TEST(RelativePosition, TakesAnyRelationInPlaceOfTheDistance) {
  const AttendCase c{.config = relative_config(2, true),
                     .sizes = {.query = 6, .key = 6, .value = 6},
                     .queries = {3},
                     .keys = {3}};
  const auto attention = random_attention(c);
  const AttendRows rows = random_rows(c);
  const Segments of = c.query_segments();
  const Memory memory = attention->remember({rows.keys, {}, {}, of}, {});
  const auto run = [&](std::vector<int> relation) {
    return attention
        ->attend({.rows = rows.queries, .of = of, .relation = relation}, memory,
                 {}, {})
        .context.value();
  };
  const Tensor own = run({});
  EXPECT_TRUE(same_bits(run({2, 3, 4, 1, 2, 3, 0, 1, 2}).span(), own.span()));
  EXPECT_FALSE(same_bits(run({0, 0, 0, 1, 1, 1, 4, 4, 4}).span(), own.span()));
  EXPECT_THROW(run({0, 0}), Error);
  EXPECT_THROW(run({2, 3, 4, 1, 2, 5, 0, 1, 2}), Error);
}

}  // namespace
}  // namespace fovea
