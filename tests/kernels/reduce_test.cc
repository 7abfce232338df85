#include "fovea/kernels/reduce.h"

#include <cmath>
#include <limits>

#include "support/compare.h"
#include "support/random.h"

namespace fovea::kernels {
namespace {

using namespace testing;  // NOLINT: the support library

constexpr float kLowest = -std::numeric_limits<float>::infinity();

TEST(Reduce, SumsAlikeForAnyNumberOfThreads) {
  on_every_target([] {
    for (int n : {0, 1, 7, 8, 9, 33, 100, 4097, 300001}) {
      const auto x = random_floats(n, 1);
      double total = 0, squares = 0, first_sum = NAN;
      float largest = kLowest;
      for (float v : x) {
        total += v;
        squares += double{v} * v;
        largest = std::max(largest, v);
      }
      with_threads({1, 2, 4}, [&](int) {
        EXPECT_NEAR(sum(x), total, 1e-6 * n);
        EXPECT_NEAR(sum_of_squares(x), squares, 1e-6 * n);
        EXPECT_EQ(max(x), largest);
        if (std::isnan(first_sum)) first_sum = sum(x);
        EXPECT_EQ(sum(x), first_sum);
      });
    }
  });
}

// What the kernels should give for x and y, in double.
struct Expected {
  Expected(const std::vector<float>& x, const std::vector<float>& y, int rows,
           int cols)
      : row_sums(rows, 0.0),
        row_max(rows, kLowest),
        row_dots(rows, 0.0),
        column_sums(cols, 0.0),
        column_max(cols, kLowest),
        column_dots(cols, 0.0) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) {
        const double a = x[i * cols + j], b = y[i * cols + j];
        row_sums[i] += a;
        row_dots[i] += a * b;
        row_max[i] = std::max(row_max[i], a);
        column_sums[j] += a;
        column_dots[j] += a * b;
        column_max[j] = std::max(column_max[j], a);
      }
    }
  }
  std::vector<double> row_sums, row_max, row_dots, column_sums, column_max,
      column_dots;
};

void compare_matrix(int rows, int cols) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
  const auto x = random_floats(rows * cols, 1),
             y = random_floats(rows * cols, 2);
  const Expected expected(x, y, rows, cols);
  const ConstMatrixView mx(x.data(), rows, cols), my(y.data(), rows, cols);
  std::vector<float> of_rows(rows), of_columns(cols);
  row_sums(mx, of_rows);
  EXPECT_TRUE(close(of_rows, expected.row_sums, 1e-5));
  row_max(mx, of_rows);
  EXPECT_TRUE(close(of_rows, expected.row_max, 0));
  row_dots(mx, my, of_rows);
  EXPECT_TRUE(close(of_rows, expected.row_dots, 1e-5));
  column_sums(mx, of_columns);
  EXPECT_TRUE(close(of_columns, expected.column_sums, 1e-5));
  column_max(mx, of_columns);
  EXPECT_TRUE(close(of_columns, expected.column_max, 0));
  column_dots(mx, my, of_columns);
  EXPECT_TRUE(close(of_columns, expected.column_dots, 1e-5));

  column_sums(mx, of_columns);
  std::vector<float> twice = of_columns;
  column_sums(mx, twice, true);
  for (int j = 0; j < cols; ++j) {
    ASSERT_NEAR(twice[j], 2 * of_columns[j], 1e-4);
  }
}

TEST(Reduce, MatchesTheTwinOverRowsAndColumns) {
  on_every_target([] {
    for (int cols : {1, 7, 8, 9, 33}) {
      for (int rows : {0, 1, 5, 64}) compare_matrix(rows, cols);
    }
    with_threads({1, 2, 4}, [](int) {
      compare_matrix(3001, 33);
      compare_matrix(40, 3001);
    });
  });
}

TEST(Reduce, GivesTheSameColumnSumsForAnyNumberOfThreads) {
  const int rows = 2001, cols = 40;
  const auto x = random_floats(rows * cols, 1);
  std::vector<float> first;
  with_threads({1, 2, 4}, [&](int) {
    std::vector<float> out(cols);
    column_sums({x.data(), rows, cols}, out);
    if (first.empty()) first = out;
    EXPECT_TRUE(same_bits(out, first));
  });
}

TEST(Reduce, ReadsStridedViews) {
  on_every_target([] {
    const std::vector<float> x{1, 2, 100, 3, 4, 100};
    std::vector<float> columns(2), rows(2);
    column_sums({x.data(), 2, 2, 3}, columns);
    row_sums({x.data(), 2, 2, 3}, rows);
    EXPECT_EQ(columns, (std::vector<float>{4, 6}));
    EXPECT_EQ(rows, (std::vector<float>{3, 7}));
  });
}

}  // namespace
}  // namespace fovea::kernels
