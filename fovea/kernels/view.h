#pragma once

#include <cstdint>
#include <type_traits>

namespace fovea::kernels {

// Rows of floats somewhere in memory; `stride` floats from row to row.
template <class T>
struct Matrix {
  T* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride = 0;

  Matrix() = default;
  Matrix(T* data_, int64_t rows_, int64_t cols_)
      : Matrix(data_, rows_, cols_, cols_) {}
  Matrix(T* data_, int64_t rows_, int64_t cols_, int64_t stride_)
      : data(data_), rows(rows_), cols(cols_), stride(stride_) {}
  template <class U>
  requires(std::is_same_v<T, const U>)
      Matrix(const Matrix<U>& m)  // NOLINT: converts on purpose
      : Matrix(m.data, m.rows, m.cols, m.stride) {}

  T* row(int64_t i) const { return data + i * stride; }
  Matrix row_range(int64_t begin, int64_t end) const {
    return {row(begin), end - begin, cols, stride};
  }
  Matrix col_range(int64_t begin, int64_t end) const {
    return {data + begin, rows, end - begin, stride};
  }
};

using MatrixView = Matrix<float>;
using ConstMatrixView = Matrix<const float>;

}  // namespace fovea::kernels
