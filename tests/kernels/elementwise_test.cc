#include "fovea/kernels/elementwise.h"

#include "support/compare.h"
#include "support/random.h"

namespace fovea::kernels {
namespace {

using namespace testing;  // NOLINT: the support library

using Binary = void (*)(std::span<const float>, std::span<const float>,
                        std::span<float>);

void compare_binary(int n, Binary kernel, double (*twin)(double, double)) {
  const auto x = random_floats(n, 1), y = random_floats(n, 2);
  std::vector<double> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = twin(x[i], y[i]);
  std::vector<float> z(n);
  kernel(x, y, z);
  EXPECT_TRUE(close(z, expected, 1e-6)) << n;
}

constexpr int kSizes[] = {0, 1, 7, 8, 9, 33, 100, 70001};

TEST(Elementwise, MatchesTheTwinOnEverySizeTargetAndThreadCount) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      for (int n : kSizes) {
        compare_binary(n, add, [](double a, double b) { return a + b; });
        compare_binary(n, sub, [](double a, double b) { return a - b; });
        compare_binary(n, mul, [](double a, double b) { return a * b; });
      }
    });
  });
}

TEST(Elementwise, AddsToWhatIsThere) {
  on_every_target([] {
    for (int n : kSizes) {
      const auto x = random_floats(n, 1), y = random_floats(n, 2),
                 before = random_floats(n, 3);
      std::vector<float> added = before, scaled = before, product = before,
                         times(n), shifted(n);
      add(x, added);
      add_scaled(-1.5f, x, scaled);
      mul_add(x, y, product);
      scale(3.0f, x, times);
      shift(3.0f, x, shifted);
      for (int i = 0; i < n; ++i) {
        ASSERT_FLOAT_EQ(added[i], before[i] + x[i]);
        ASSERT_NEAR(scaled[i], before[i] - 1.5 * x[i], 1e-5);
        ASSERT_NEAR(product[i], before[i] + double{x[i]} * y[i], 1e-5);
        ASSERT_FLOAT_EQ(times[i], 3.0f * x[i]);
        ASSERT_FLOAT_EQ(shifted[i], 3.0f + x[i]);
      }
    }
  });
}

// A matrix inside a larger one, whose other elements must stay 7.
struct Inner {
  Inner(int rows, int cols)
      : stride(cols + 3),
        memory(rows * stride, 7.0f),
        view(memory.data(), rows, cols, stride) {}

  bool only_inside() const {
    for (size_t i = 0; i < memory.size(); ++i) {
      if (static_cast<int64_t>(i % stride) >= view.cols && memory[i] != 7.0f) {
        return false;
      }
    }
    return true;
  }

  size_t stride;
  std::vector<float> memory;
  MatrixView view;
};

TEST(Elementwise, BroadcastsRowsAndColumnsOverStridedViews) {
  on_every_target([] {
    for (int cols : {1, 7, 8, 9, 33}) {
      const int rows = 5;
      const auto x = random_floats(rows * cols, 1),
                 row = random_floats(cols, 2), column = random_floats(rows, 3);
      const ConstMatrixView in(x.data(), rows, cols);
      Inner copied(rows, cols), sum(rows, cols), by_row(rows, cols),
          by_column(rows, cols);
      copy(in, copied.view);
      add(in, sum.view);  // 7 + x
      add_row(sum.view, row, sum.view);
      add_column(sum.view, column, sum.view);
      mul_row(in, row, by_row.view);
      mul_row(in, row, by_row.view, true);
      mul_column(in, column, by_column.view);
      mul_column(in, column, by_column.view, true);
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
          const double v = x[i * cols + j];
          ASSERT_EQ(copied.view.row(i)[j], static_cast<float>(v));
          ASSERT_NEAR(sum.view.row(i)[j], 7 + v + row[j] + column[i], 1e-5);
          ASSERT_NEAR(by_row.view.row(i)[j], 2 * v * row[j], 1e-5);
          ASSERT_NEAR(by_column.view.row(i)[j], 2 * v * column[i], 1e-5);
        }
      }
      for (const Inner* m : {&copied, &sum, &by_row, &by_column}) {
        ASSERT_TRUE(m->only_inside());
      }
    }
  });
}

}  // namespace
}  // namespace fovea::kernels
