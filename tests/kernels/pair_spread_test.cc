#include "fovea/kernels/pair_spread.h"

#include "support/compare.h"
#include "support/random.h"
#include "support/twin_pairs.h"

namespace fovea::kernels {
namespace {

using testing::close;
using testing::Doubles;
using testing::mixed_pairs;
using testing::random_floats;
using testing::same_bits;
using testing::to_double;
using testing::TwinPairs;
using testing::with_threads;

using Floats = std::vector<float>;

// Enough rows that threads share them.
TwinPairs many_pairs(int heads, int key_heads) {
  auto rows = mixed_pairs();
  for (int i = 0; i < 600; ++i) rows.push_back({i % 7, 60 - i % 9});
  return TwinPairs(rows, heads, key_heads, 1);
}

// A head of size 1 and ones: the products are copies and sums.
TEST(PairSpread, CopiesAndSumsRowsAndKeysLikeTheTwin) {
  const TwinPairs twin = many_pairs(4, 2);
  const PairLayout pairs = twin.layout();
  const Floats x = random_floats(twin.queries(), 1);
  const Floats y = random_floats(twin.keys(), 2);
  const Floats s = random_floats(twin.size(), 3);
  const Doubles row_ones(x.size(), 1.0), key_ones(y.size(), 1.0);
  const ConstMatrixView of_rows(x.data(), twin.query_rows(), 4);
  const ConstMatrixView of_keys(y.data(), twin.key_rows, 2);
  Floats first_sums, first_key_sums;
  with_threads({1, 2, 4}, [&](int threads) {
    Floats numbers(s.size()), sums(x.size()), key_sums(y.size(), 0.0f);
    pair_of_rows(of_rows, pairs, false, numbers.data());
    EXPECT_TRUE(close(numbers, twin.dot(to_double(x), key_ones), 0));
    pair_of_keys(of_keys, pairs, false, numbers.data());
    EXPECT_TRUE(close(numbers, twin.dot(row_ones, to_double(y)), 0));
    pair_row_sums(s.data(), pairs, false, {sums.data(), of_rows.rows, 4});
    EXPECT_TRUE(close(sums, twin.gather(to_double(s), key_ones), 1e-6));
    pair_key_sums(s.data(), pairs, {key_sums.data(), of_keys.rows, 2});
    EXPECT_TRUE(close(key_sums, twin.scatter(to_double(s), row_ones), 1e-5));
    if (threads == 1) first_sums = sums, first_key_sums = key_sums;
    EXPECT_TRUE(same_bits(sums, first_sums));
    EXPECT_TRUE(same_bits(key_sums, first_key_sums));
  });
}

TEST(PairSpread, PicksAndSumsByIndex) {
  constexpr int kCount = 5;
  const TwinPairs twin = many_pairs(3, 1);
  const PairLayout pairs = twin.layout();
  std::vector<int> index;
  for (int64_t i = 0; i < twin.size() / 3; ++i) {
    index.push_back(static_cast<int>(i * i % kCount));
  }
  const Floats x = random_floats(twin.query_rows() * 3 * kCount, 1);
  const Floats s = random_floats(twin.size(), 3);
  const int64_t rows = twin.query_rows();
  with_threads({1, 2, 4}, [&](int) {
    Floats numbers(s.size());
    Floats sums(x.size(), 0.0f);
    pair_pick({x.data(), rows, 3 * kCount}, pairs, index, false,
              numbers.data());
    pair_bucket_sums(s.data(), pairs, index, {sums.data(), rows, 3 * kCount});
    Doubles expected(x.size(), 0.0);
    for (int64_t m = 0; m < rows; ++m) {
      for (int h = 0; h < 3; ++h) {
        for (int j = 0; j < twin.rows[m].keys; ++j) {
          const int64_t n = pairs.begin(m, h) + j;
          const int64_t at =
              (m * 3 + h) * kCount + index[twin.rows[m].offset + j];
          ASSERT_EQ(numbers[n], x[at]);
          expected[at] += s[n];
        }
      }
    }
    EXPECT_TRUE(close(sums, expected, 1e-6));
  });
}

TEST(PairSpread, AddsToWhatIsThere) {
  const TwinPairs twin({{0, 2}, {1, 0}, {1, 1}}, 1, 1, 1);
  const PairLayout pairs = twin.layout();
  const Floats x{1, 2, 3}, y{5, 6}, s{10, 20, 30};
  const std::vector<int> index{0, 0, 0};
  Floats numbers{100, 200, 300}, sums{1, 1, 1};
  pair_of_rows({x.data(), 3, 1}, pairs, true, numbers.data());
  EXPECT_EQ(numbers, (Floats{101, 201, 303}));
  pair_of_keys({y.data(), 2, 1}, pairs, true, numbers.data());
  EXPECT_EQ(numbers, (Floats{106, 207, 309}));
  pair_pick({x.data(), 3, 1}, pairs, index, true, numbers.data());
  EXPECT_EQ(numbers, (Floats{107, 208, 312}));
  pair_row_sums(s.data(), pairs, true, {sums.data(), 3, 1});
  EXPECT_EQ(sums, (Floats{31, 1, 31}));
}

}  // namespace
}  // namespace fovea::kernels
