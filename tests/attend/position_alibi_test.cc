#include "fovea/attend/position_alibi.h"

#include <cmath>
#include <cstdlib>

#include "support/compare.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

void expect_slopes(int heads, const Doubles& expected) {
  EXPECT_TRUE(close(alibi_slopes(heads), expected, 1e-6)) << heads;
}

TEST(Alibi, HasTheSlopesOfTheSpecification) {  // SPEC C4
  expect_slopes(1, {1 / 256.0});
  expect_slopes(2, {1 / 16.0, 1 / 256.0});
  expect_slopes(4, {1 / 4.0, 1 / 16.0, 1 / 64.0, 1 / 256.0});
  Doubles eight;
  for (int h = 1; h <= 8; ++h) eight.push_back(std::exp2(-h));
  expect_slopes(8, eight);
  Doubles twelve = eight;
  for (double s : {0.707107, 0.353553, 0.176777, 0.088388}) twelve.push_back(s);
  expect_slopes(12, twelve);
  Doubles sixteen;
  for (int h = 1; h <= 16; ++h) sixteen.push_back(std::exp2(-0.5 * h));
  expect_slopes(16, sixteen);
}

double alibi(const TwinPair& pair) {
  const double scale = 1 / std::sqrt(static_cast<double>(pair.q().size()));
  return twin_dot(pair.q(), pair.k()) * scale -
         alibi_slopes(pair.heads)[pair.head] *
             std::abs(pair.query.position - pair.key);
}

TEST(Alibi, EqualsItsTwin) {
  for (const bool causal : {false, true}) {
    ComposedConfig config;
    config.position = "alibi";
    config.heads = 3;
    config.causal = causal;
    check_attend({.problem = {.config = config}, .score = alibi});
  }
}

TEST(Alibi, UnderACausalMaskOnlyTheKeysPositionMatters) {
  // The released code adds slope * j: the same weights, by SPEC P2.
  ComposedConfig config;
  config.position = "alibi";
  config.heads = 4;
  config.causal = true;
  const AttendCase c{.config = config,
                     .sizes = {.query = 8, .key = 8, .value = 8},
                     .queries = {5, 1, 9},
                     .keys = {5, 1, 9}};
  const auto attention = random_attention(c);
  const AttendRows rows = random_rows(c);
  const Attended with = attend_once(*attention, c, rows, true);

  config.position = "none";
  AttendCase plain = c;
  plain.config = config;
  const auto without = random_attention(plain);
  const Weights own = attend_once(*without, plain, rows, true).weights;
  const auto slopes = alibi_slopes(4);
  for (int64_t m = 0; m < own.pairs.rows(); ++m) {
    for (int h = 0; h < 4; ++h) {
      Doubles scores;
      const int64_t begin = own.pairs.begin(m, h);
      const int keys = own.pairs.row(m).keys;
      for (int j = 0; j < keys; ++j) {
        scores.push_back(std::log(double{own.values.value()[begin + j]}) +
                         slopes[h] * j);
      }
      EXPECT_TRUE(close(with.weights.values.value().span().subspan(begin, keys),
                        twin_softmax_row(scores), 1e-5));
    }
  }
}

}  // namespace
}  // namespace fovea
