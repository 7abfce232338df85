#include "fovea/kernels/topk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fovea/base/rng.h"
#include "support/compare.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/twin_sparsemax.h"

namespace fovea::kernels {
namespace {

using namespace fovea::testing;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Result {
  std::vector<float> values;
  std::vector<int> indices;
};

// By a stable sort of everything.
Result by_sorting(std::vector<float> x, int k) {
  for (float& v : x) v = std::isnan(v) ? -kInfinity : v;
  std::vector<int> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) { return x[a] > x[b]; });
  Result result{std::vector<float>(k, -kInfinity), std::vector<int>(k, -1)};
  for (int i = 0; i < std::min<int>(k, x.size()); ++i) {
    result.values[i] = x[order[i]];
    result.indices[i] = order[i];
  }
  return result;
}

Result of_row(const std::vector<float>& x, int k) {
  Result result{std::vector<float>(k), std::vector<int>(k)};
  topk({x.data(), 1, static_cast<int64_t>(x.size())},
       {k, result.values, result.indices});
  return result;
}

void expect_sorted(const std::vector<float>& x, int k) {
  SCOPED_TRACE(::testing::Message() << k << " of " << x.size());
  const Result expected = by_sorting(x, k), result = of_row(x, k);
  EXPECT_TRUE(same_bits(result.values, expected.values));
  EXPECT_EQ(result.indices, expected.indices);
}

TEST(TopK, EqualsSortingForAllSizes) {
  on_every_target([] {
    for (int size : {1, 2, 7, 8, 9, 31, 63, 64, 65, 129, 1000, 50000}) {
      for (int k : {1, 2, 5, 8, 64, 256}) {
        if (k <= size) expect_sorted(random_floats(size, size), k);
      }
    }
  });
}

TEST(TopK, PutsTheSmallerIndexFirstAmongEqualValues) {
  on_every_target([] {
    std::vector<float> x(777);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(random_below(RandomKey(1), i, 4));
    }
    for (int k : {1, 3, 64}) expect_sorted(x, k);
    expect_sorted(std::vector<float>(100, 0.5f), 10);
  });
}

TEST(TopK, TakesRisingAndFallingRows) {
  on_every_target([] {
    std::vector<float> x(3000);
    std::iota(x.begin(), x.end(), -1500.0f);
    expect_sorted(x, 64);
    std::ranges::reverse(x);
    expect_sorted(x, 64);
  });
}

TEST(TopK, CountsInfinityAndNotANumberAsTheyShould) {
  on_every_target([] {
    std::vector<float> x(200, -kInfinity);
    x[3] = std::numeric_limits<float>::quiet_NaN();
    x[150] = std::numeric_limits<float>::quiet_NaN();
    x[120] = 1;
    x[180] = kInfinity;
    expect_sorted(x, 1);
    expect_sorted(x, 5);
  });
}

TEST(TopK, FillsUpWhenThereAreTooFew) {
  expect_sorted({2, 3}, 4);
  expect_sorted({}, 2);
}

TEST(TopK, TakesTheRowsOfAGroupTogetherWithTheirBias) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      const int cols = effort(1003, 301), stride = cols + 5, k = 7;
      const std::vector<int> groups = {0, 3, 3, 4, 9};
      std::vector<float> x = random_floats(9 * stride, 1);
      const std::vector<float> bias = random_floats(9, 2);
      Result result{std::vector<float>(4 * k), std::vector<int>(4 * k)};
      topk_groups({x.data(), 9, cols, stride}, groups, bias,
                  {k, result.values, result.indices});
      for (int g = 0; g < 4; ++g) {
        std::vector<float> all;
        for (int i = groups[g]; i < groups[g + 1]; ++i) {
          for (int j = 0; j < cols; ++j) {
            all.push_back(x[i * stride + j] + bias[i]);
          }
        }
        const Result expected = by_sorting(all, k);
        for (int i = 0; i < k; ++i) {
          EXPECT_EQ(result.values[g * k + i], expected.values[i]);
          EXPECT_EQ(result.indices[g * k + i], expected.indices[i]);
        }
      }
    });
  });
}

TEST(TopK, GivesEachRowItsOwnWhateverTheThreads) {
  with_threads({1, 2, 4}, [](int) {
    const int rows = 37, cols = 3001, k = 3;
    const std::vector<float> x = random_floats(rows * cols, 1);
    Result result{std::vector<float>(rows * k), std::vector<int>(rows * k)};
    topk({x.data(), rows, cols}, {k, result.values, result.indices});
    for (int i = 0; i < rows; ++i) {
      const Result expected =
          by_sorting({x.begin() + i * cols, x.begin() + (i + 1) * cols}, k);
      for (int j = 0; j < k; ++j) {
        EXPECT_EQ(result.indices[i * k + j], expected.indices[j]);
        EXPECT_EQ(result.values[i * k + j], expected.values[j]);
      }
    }
  });
}

TEST(KeepTopK, KeepsTheLargestOfEachRowAndTheFirstOfEqualOnes) {
  const std::vector<int> lengths{0, 1, 7, 8, 33, 300, 1000},
      offsets{0, 0, 1, 8, 16, 49, 349, 1349};
  std::vector<float> x = random_floats(1349, 1);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = i % 11 == 3 ? -kInfinity : std::round(8 * x[i]);  // many are equal
  }
  for (int k : {1, 2, 5, 64, 300, 5000}) {
    const Doubles truth = twin_keep_topk(to_double(x), lengths, k);
    on_every_target([&] {
      with_threads({1, 2, 4}, [&](int) {
        std::vector<float> y = x;
        keep_topk(y.data(), RaggedRows(offsets), k, y.data());
        EXPECT_EQ(y, to_float(truth)) << k;
      });
    });
  }
}

}  // namespace
}  // namespace fovea::kernels
