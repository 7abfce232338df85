#include "fovea/kernels/split_sum.h"

#include "support/compare.h"
#include "support/random.h"

namespace fovea::kernels {
namespace {

using namespace fovea::testing;

constexpr int kCols = 5;

// The sum of rows of x [rows, 5] into a matrix [1, 5] with a gap behind it.
std::vector<float> column_sums(const std::vector<float>& x, bool accumulate) {
  std::vector<float> total(kCols + 1, 2.0f);
  split_sum(x.size() / kCols, {total.data(), 1, kCols, kCols + 1}, accumulate,
            [&](int64_t begin, int64_t end, MatrixView sum) {
              std::fill_n(sum.data, kCols, 0.0f);
              for (int64_t i = begin; i < end; ++i) {
                for (int j = 0; j < kCols; ++j) {
                  sum.data[j] += x[i * kCols + j];
                }
              }
            });
  return total;
}

TEST(SplitSum, AddsUpAllRowsWhateverTheThreads) {
  for (int rows : {0, 1, 511, 1024, 5003, 20000}) {
    for (bool accumulate : {false, true}) {
      const std::vector<float> x = random_floats(rows * kCols, rows);
      std::vector<double> expected(kCols + 1, accumulate ? 2.0 : 0.0);
      expected[kCols] = 2;
      for (size_t i = 0; i < x.size(); ++i) expected[i % kCols] += x[i];
      std::vector<float> first;
      with_threads({1, 2, 4}, [&](int) {
        const std::vector<float> total = column_sums(x, accumulate);
        if (first.empty()) first = total;
        EXPECT_TRUE(close(total, expected, 1e-5)) << rows;
        EXPECT_TRUE(same_bits(total, first)) << rows;
      });
    }
  }
}

}  // namespace
}  // namespace fovea::kernels
