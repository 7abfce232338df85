#include "fovea/attend/extent_local_m.h"

#include <algorithm>
#include <cmath>

#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

double scaled_dot(const TwinPair& pair) {
  return twin_dot(pair.q(), pair.k()) /
         std::sqrt(static_cast<double>(pair.q().size()));
}

TwinAttend twin(AttendCase problem, int window) {
  problem.config.extent = "local_m";
  problem.config.options = {"window=" + std::to_string(window)};
  return {.problem = std::move(problem),
          .score = scaled_dot,
          .window = [window](const TwinQuery& query) {
            const int centre = std::min(query.position, query.keys - 1);
            const int begin = std::clamp(centre - window, 0, query.keys);
            return TwinAttend::Window{
                begin, std::clamp(centre + window + 1, begin, query.keys)};
          }};
}

// More queries than keys, so that some stand behind the last key.
AttendCase long_queries() {
  return {.config = {.heads = 2},
          .queries = {5, 2, 0, 3, 7},
          .keys = {8, 1, 3, 0, 3}};
}

TEST(LocalMExtent, EqualsItsTwin) {
  for (int window : {0, 1, 2}) check_attend(twin(long_queries(), window));
}

TEST(LocalMExtent, EqualsItsTwinAtGivenPositionsAndWhereItIsCausal) {
  AttendCase c = long_queries();
  c.position = {2, 0, 1, 5, 1};
  check_attend(twin(c, 1));
  c.position = {};
  c.config.causal = true;
  check_attend(twin(c, 1));
}

TEST(LocalMExtent, IsGlobalIfTheWindowIsWide) {
  for (int window : {8, 100, 1 << 30}) {
    AttendCase c = long_queries();
    c.config.extent = "local_m";
    c.config.options = {"window=" + std::to_string(window)};
    const auto local = random_attention(c);
    c.config.extent = "global";
    c.config.options = {};
    const auto global = random_attention(c);
    const AttendRows rows = random_rows(c);
    for (bool want : {false, true}) {
      EXPECT_TRUE(close(
          attend_once(*local, c, rows, want).context.value().span(),
          attend_once(*global, c, rows, want).context.value().span(), 1e-6));
    }
  }
}

TEST(LocalMExtent, TouchesTheKeysOfItsWindowOnly) {
  AttendCase c = long_queries();
  c.config.extent = "local_m";
  c.config.options = {"window=2"};
  const Attended a = attend_once(*random_attention(c), c, random_rows(c), true);
  const Pairs& pairs = a.weights.pairs;
  const std::vector<std::pair<int, int>> expected = {
      {0, 3}, {0, 4}, {0, 5}, {1, 5}, {2, 5},  // of 8 keys
      {0, 1}, {0, 1},                          // of one
      {0, 0}, {0, 0}, {0, 0},                  // of none
      {0, 3}, {0, 3}, {0, 3}, {0, 3}, {0, 3}, {0, 3}, {0, 3}};
  ASSERT_EQ(pairs.rows(), std::ssize(expected));
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    if (expected[m].second > 0) {
      EXPECT_EQ(pairs.row(m).first, expected[m].first) << m;
    }
    EXPECT_EQ(pairs.row(m).keys, expected[m].second) << m;
  }
}

TEST(LocalMExtent, RecordsTheSameWeightsByBothPaths) {
  AttendCase c = long_queries();
  c.config.extent = "local_m";
  c.config.options = {"window=1"};
  const auto attention = random_attention(c);
  const AttendRows rows = random_rows(c);
  std::vector<Trace> traces(2);
  for (bool want : {false, true}) {
    Pass pass;
    pass.trace = &traces[want];
    const Memory memory = attention->remember(
        {.keys = rows.keys, .values = rows.values, .of = c.key_segments()},
        pass);
    attention->attend(
        {.rows = rows.queries, .of = c.query_segments(), .want_weights = want},
        memory, {}, pass);
    ASSERT_EQ(traces[want].records().size(), 1u);
  }
  for (int b = 0; b < 5; ++b) {
    for (int h = 0; h < 2; ++h) {
      EXPECT_TRUE(close(traces[0].records()[0].weights(b, h).span(),
                        traces[1].records()[0].weights(b, h).span(), 1e-6));
    }
  }
}

TEST(LocalMExtent, RefusesAWindowOutOfRange) {
  ComposedConfig config;
  config.extent = "local_m";
  for (const char* option : {"window=-1", "window=2000000000"}) {
    config.options = {option};
    EXPECT_THROW(new_attention(config, {.query = 4}), Error);
  }
}

}  // namespace
}  // namespace fovea
