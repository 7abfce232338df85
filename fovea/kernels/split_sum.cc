#include "fovea/kernels/split_sum.h"

#include <algorithm>

#include "fovea/tensor/allocator.h"

namespace fovea::kernels {
namespace {

constexpr int64_t kMostParts = 16;
constexpr int64_t kRows = 512;            // that are worth a part
constexpr int64_t kMostFloats = 1 << 22;  // in the sums of all parts

int64_t count_parts(int64_t rows, int64_t size) {
  const int64_t fit = std::max<int64_t>(2, kMostFloats / (size + 1));
  return std::clamp<int64_t>(rows / kRows, 1, std::min(kMostParts, fit));
}

}  // namespace

void split_sum(int64_t rows, MatrixView total, bool accumulate,
               FunctionRef<void(int64_t, int64_t, MatrixView)> add) {
  const int64_t cols = total.cols, size = total.rows * cols;
  const int64_t parts = count_parts(rows, size);
  if (parts == 1 && rows > 0 && !accumulate) {
    add(0, rows, total);
    return;
  }
  const Scratch<float> sums(parts * size);
  if (rows == 0) std::fill(sums.begin(), sums.end(), 0.0f);
  parallel_for(rows > 0 ? parts : 0, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      add(rows * part / parts, rows * (part + 1) / parts,
          {&sums[part * size], total.rows, cols});
    }
  });
  parallel_for(total.rows, 1 + (1 << 14) / (cols + 1),
               [&](int64_t first, int64_t last) {
                 for (int64_t i = first; i < last; ++i) {
                   float* row = total.row(i);
                   if (!accumulate) std::fill_n(row, cols, 0.0f);
                   for (int64_t part = 0; part < parts; ++part) {
                     const float* sum = &sums[part * size + i * cols];
                     for (int64_t j = 0; j < cols; ++j) row[j] += sum[j];
                   }
                 }
               });
}

}  // namespace fovea::kernels
