#include "fovea/autograd/pairs.h"

#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"
#include "support/check_op.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_additive.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library
using Inputs = std::vector<Doubles>;

// Shared keys, one key, none, causal rows.
const std::vector<std::pair<int, int>> kRows = {{0, 4}, {0, 4}, {0, 4}, {4, 0},
                                                {4, 1}, {5, 1}, {5, 2}, {5, 3}};

struct Case {
  explicit Case(int heads, int key_heads, int d)
      : twin(kRows, heads, key_heads, d) {
    std::vector<Pairs::Row> rows;
    for (const auto& [key, keys] : kRows) {
      rows.push_back({.key = key, .keys = keys});
    }
    pairs = Pairs(rows, heads, key_heads);
  }
  Tensor queries() const {
    return random_tensor({twin.query_rows(), twin.heads * twin.d}, 1);
  }
  Tensor keys() const {
    return random_tensor({twin.key_rows, twin.key_heads * twin.d}, 2);
  }
  Tensor numbers() const { return random_tensor({twin.size()}, 3); }

  TwinPairs twin;
  Pairs pairs;
};

TEST(PairOps, MultiplyQueriesAndKeys) {
  for (int d : {1, 3, 8, 9}) {
    const Case c(4, 2, d);
    check_op([&](const auto& v) { return pair_dot(v[0], v[1], c.pairs, 0.5f); },
             [&](const Inputs& in) {
               Doubles s = c.twin.dot(in[0], in[1]);
               for (double& x : s) x *= 0.5;
               return s;
             },
             {c.queries(), c.keys()});
  }
}

TEST(PairOps, MeasureDistances) {
  for (int d : {1, 3, 9}) {
    const Case c(4, 2, d);
    check_op([&](const auto& v) { return pair_distance(v[0], v[1], c.pairs); },
             [&](const Inputs& in) { return c.twin.distance(in[0], in[1]); },
             {c.queries(), c.keys()});
  }
}

TEST(PairOps, SumValuesByWeight) {
  for (int d : {1, 3, 9}) {
    const Case c(4, 2, d);
    check_op([&](const auto& v) { return pair_sum(v[0], v[1], c.pairs); },
             [&](const Inputs& in) { return c.twin.gather(in[0], in[1]); },
             {c.numbers(), c.keys()});
  }
}

TEST(PairOps, AddQueriesAndKeysUnderATanh) {
  for (int d : {1, 3, 9}) {
    const Case c(4, 2, d);
    const Twin twin = [&](const Inputs& in) {
      return twin_additive(c.twin, in);
    };
    const Tensor v = random_tensor({4 * d}, 4), w = random_tensor({4 * d}, 5);
    check_op(
        [&](const auto& x) { return pair_additive(x[0], x[1], x[2], c.pairs); },
        twin, {c.queries(), c.keys(), v});
    check_op(
        [&](const auto& x) {
          return pair_additive(x[0], x[1], x[2], c.pairs, x[3], x[4]);
        },
        twin, {c.queries(), c.keys(), v, c.numbers(), w});
  }
}

TEST(PairOps, GiveOneInputInTwoPlacesBothGradients) {
  const TwinPairs twin({{0, 3}, {0, 3}, {0, 2}}, 2, 2, 3);
  const Pairs pairs({{.keys = 3}, {.keys = 3}, {.keys = 2}}, 2, 2);
  const Tensor x = random_tensor({3, 6}, 1);
  check_op([&](const auto& v) { return pair_dot(v[0], v[0], pairs); },
           [&](const Inputs& in) { return twin.dot(in[0], in[0]); }, {x});
  check_op([&](const auto& v) { return pair_distance(v[0], v[0], pairs); },
           [&](const Inputs& in) { return twin.distance(in[0], in[0]); }, {x});
  check_op(
      [&](const auto& v) { return pair_additive(v[0], v[0], v[1], pairs); },
      [&](const Inputs& in) {
        return twin_additive(twin, {in[0], in[0], in[1]});
      },
      {x, random_tensor({6}, 2)});
}

TEST(PairOps, PickByIndexAndSumByIndex) {
  const Case c(2, 1, 1);
  constexpr int kCount = 3;
  auto of = std::make_shared<std::vector<int>>();
  for (int64_t i = 0; i < c.twin.size() / 2; ++i) {
    of->push_back(static_cast<int>(i * 5 % kCount));
  }
  const PairIndex index{of, kCount};
  const auto place = [&](int64_t m, int h, int j) {
    return (m * 2 + h) * kCount + (*of)[c.twin.rows[m].offset + j];
  };
  const auto each = [&](const auto& fn) {
    int64_t n = 0;
    for (int64_t m = 0; m < c.twin.query_rows(); ++m) {
      for (int h = 0; h < 2; ++h) {
        for (int j = 0; j < kRows[m].second; ++j) fn(n++, place(m, h, j));
      }
    }
  };
  check_op([&](const auto& v) { return pair_pick(v[0], c.pairs, index); },
           [&](const Inputs& in) {
             Doubles s(c.twin.size());
             each([&](int64_t n, int64_t at) { s[n] = in[0][at]; });
             return s;
           },
           {random_tensor({c.twin.query_rows(), 2 * kCount}, 1)});
  check_op(
      [&](const auto& v) { return pair_bucket_sums(v[0], c.pairs, index); },
      [&](const Inputs& in) {
        Doubles y(c.twin.query_rows() * 2 * kCount, 0.0);
        each([&](int64_t n, int64_t at) { y[at] += in[0][n]; });
        return y;
      },
      {c.numbers()});
}

TEST(PairOps, SpreadNumbersOfKeysAndRowsAndSumThemBack) {
  const Case c(2, 1, 1);
  const TwinPairs own(kRows, 2, 2, 1);  // each head has keys of its own
  const Doubles row_ones(own.queries(), 1.0), key_ones(own.keys(), 1.0);
  const int64_t n = own.key_rows;
  check_op([&](const auto& v) { return pair_of_keys(v[0], c.pairs); },
           [&](const Inputs& in) { return own.dot(row_ones, in[0]); },
           {random_tensor({n, 2}, 1)});
  check_op([&](const auto& v) { return pair_key_sums(v[0], c.pairs, n); },
           [&](const Inputs& in) { return own.scatter(in[0], row_ones); },
           {c.numbers()});
  check_op([&](const auto& v) { return pair_of_rows(v[0], c.pairs); },
           [&](const Inputs& in) { return own.dot(in[0], key_ones); },
           {random_tensor({own.query_rows(), 2}, 1)});
  check_op([&](const auto& v) { return pair_row_sums(v[0], c.pairs); },
           [&](const Inputs& in) { return own.gather(in[0], key_ones); },
           {c.numbers()});
}

TEST(PairOps, AttendThroughSegments) {
  const Case c(2, 2, 4);
  const Var weights =
      softmax(pair_dot(c.queries(), c.keys(), c.pairs), c.pairs.segments());
  const Tensor sums = pair_row_sums(weights, c.pairs).value();
  for (int64_t m = 0; m < c.pairs.rows(); ++m) {
    for (int h = 0; h < 2; ++h) {
      EXPECT_NEAR(sums[m * 2 + h], kRows[m].second ? 1 : 0, 1e-6);
    }
  }
}

TEST(Pairs, KnowWhereTheirNumbersAre) {
  const Pairs pairs(
      {{.key = 4, .keys = 3, .first = 1, .position = 2}, {}, {.keys = 5}}, 4,
      2);
  EXPECT_EQ(pairs.rows(), 3);
  EXPECT_EQ(pairs.size(), 32);
  EXPECT_EQ(pairs.key_rows(), 7);
  EXPECT_EQ(pairs.begin(0, 1), 3);
  EXPECT_EQ(pairs.begin(2, 3), 27);
  EXPECT_EQ(pairs.row(0).first, 1);
  EXPECT_EQ(pairs.row(0).position, 2);
  EXPECT_EQ(pairs.segments().count(), 12);
  EXPECT_EQ(pairs.segments().begin(11), 27);
  EXPECT_EQ(pairs.segments().length(11), 5);
  EXPECT_EQ(Pairs().rows(), 0);
  EXPECT_EQ(Pairs().size(), 0);
}

TEST(PairOps, RefuseShapesThatDoNotFit) {
  const Case c(4, 2, 3);
  const Tensor q = c.queries(), k = c.keys(), s = c.numbers();
  EXPECT_THROW(pair_dot(k, k, c.pairs), Error);
  EXPECT_THROW(pair_dot(q, q, c.pairs), Error);
  EXPECT_THROW(pair_dot(q, k.row_range(0, 3), c.pairs), Error);
  EXPECT_THROW(pair_sum(s.row_range(0, 3), k, c.pairs), Error);
  EXPECT_THROW(pair_key_sums(s, c.pairs, 7), Error);
  const Tensor v = random_tensor({12}, 4);
  EXPECT_THROW(pair_additive(q, k, s, c.pairs), Error);
  EXPECT_THROW(pair_additive(q, k, v, c.pairs, s), Error);
  EXPECT_THROW(pair_additive(q, k, v, c.pairs, v, v), Error);
  EXPECT_THROW(pair_additive(q, k, v, c.pairs, s, s), Error);
  EXPECT_THROW(pair_pick(q, c.pairs, {}), Error);
  EXPECT_THROW(Pairs({}, 3, 2), Error);
  EXPECT_THROW(Pairs({{.keys = -1}}, 1, 1), Error);
  const auto bad = std::make_shared<std::vector<int>>(s.size() / 4, 3);
  EXPECT_THROW(pair_pick(q, c.pairs, {bad, 3}), Error);
  EXPECT_THROW(pair_bucket_sums(s, c.pairs, {bad, 3}), Error);
}

}  // namespace
}  // namespace fovea
