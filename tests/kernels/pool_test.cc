#include "fovea/kernels/pool.h"

#include "fovea/tensor/segments.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea::kernels {
namespace {

using namespace testing;  // NOLINT: the support library

std::vector<double> twin_pool(Pool pool, const std::vector<float>& x,
                              const Segments& of, int cols) {
  std::vector<double> y(of.count() * cols, 0.0);
  for (int b = 0; b < of.count(); ++b) {
    for (int i = of.begin(b); i < of.end(b); ++i) {
      for (int j = 0; j < cols; ++j) {
        y[b * cols + j] +=
            x[i * cols + j] / (pool == Pool::kMean ? of.length(b) : 1.0);
      }
    }
  }
  return y;
}

void compare_pool(Pool pool, int cols) {
  const Segments of = Segments::from_lengths(random_lengths(30, 0, 20, 7));
  const auto x = random_floats(of.total() * cols, 1);
  const ConstMatrixView in(x.data(), of.total(), cols);
  const std::vector<double> expected = twin_pool(pool, x, of, cols);
  std::vector<float> y(of.count() * cols), more(of.count() * cols, 1.0f);
  segment_pool(pool, in, of.offsets(), {y.data(), of.count(), cols});
  EXPECT_TRUE(close(y, expected, 1e-5));
  segment_pool(pool, in, of.offsets(), {more.data(), of.count(), cols}, true);
  for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(more[i], 1 + y[i], 1e-4);

  std::vector<float> dx(x.size()), added(x.size(), 1.0f);
  const ConstMatrixView dy(y.data(), of.count(), cols);
  segment_spread(pool, dy, of.offsets(), {dx.data(), of.total(), cols});
  segment_spread(pool, dy, of.offsets(), {added.data(), of.total(), cols},
                 true);
  for (int b = 0; b < of.count(); ++b) {
    const double weight = pool == Pool::kMean ? 1.0 / of.length(b) : 1.0;
    for (int i = of.begin(b) * cols; i < of.end(b) * cols; ++i) {
      ASSERT_NEAR(dx[i], weight * y[b * cols + i % cols], 1e-5);
      ASSERT_NEAR(added[i], 1 + dx[i], 1e-5);
    }
  }
}

TEST(Pool, MatchesTheTwinOverSegmentsEmptyOnesIncluded) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      for (int cols : {1, 7, 8, 9, 33, 300}) {
        compare_pool(Pool::kSum, cols);
        compare_pool(Pool::kMean, cols);
      }
    });
  });
}

TEST(Pool, KeepsTheFirstOfTheLargest) {
  on_every_target([] {
    const std::vector<int> offsets{0, 3, 3, 4};
    const std::vector<float> x{1, -5, 3, -1, 3, -1, 8, 9};  // [4,2]
    std::vector<float> y(6), dx(8, 1.0f);
    std::vector<int> winners(6);
    segment_max({x.data(), 4, 2}, offsets, {y.data(), 3, 2}, winners);
    EXPECT_EQ(y, (std::vector<float>{3, -1, 0, 0, 8, 9}));
    EXPECT_EQ(winners, (std::vector<int>{1, 1, -1, -1, 3, 3}));
    const std::vector<float> dy{10, 20, 30, 40, 50, 60};
    segment_max_backward({dy.data(), 3, 2}, winners, {dx.data(), 4, 2});
    EXPECT_EQ(dx, (std::vector<float>{1, 1, 11, 21, 1, 1, 51, 61}));
  });
}

TEST(Pool, FindsTheLargestForAnyWidthAndNumberOfThreads) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      for (int cols : {1, 7, 8, 9, 33, 200}) {
        const Segments of =
            Segments::from_lengths(random_lengths(40, 1, 30, 5));
        const auto x = random_floats(of.total() * cols, 1);
        std::vector<float> y(of.count() * cols);
        std::vector<int> winners(y.size());
        segment_max({x.data(), of.total(), cols}, of.offsets(),
                    {y.data(), of.count(), cols}, winners);
        for (int b = 0; b < of.count(); ++b) {
          for (int j = 0; j < cols; ++j) {
            const int winner = winners[b * cols + j];
            ASSERT_TRUE(of.begin(b) <= winner && winner < of.end(b));
            ASSERT_EQ(y[b * cols + j], x[winner * cols + j]);
            for (int i = of.begin(b); i < of.end(b); ++i) {
              ASSERT_LE(x[i * cols + j], y[b * cols + j]);
            }
          }
        }
      }
    });
  });
}

}  // namespace
}  // namespace fovea::kernels
