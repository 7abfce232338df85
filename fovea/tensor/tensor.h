#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include "fovea/tensor/shape.h"

namespace fovea {

// Float32 memory with a shape: row-major, contiguous, no maths. Copies share
// the memory; clone() does not. A fresh tensor is not initialised.
class Tensor {
 public:
  Tensor() = default;  // empty: no memory, no shape
  explicit Tensor(const Shape& shape);
  static Tensor zeros(const Shape& shape);
  static Tensor full(const Shape& shape, float value);
  static Tensor of(const Shape& shape, std::initializer_list<float> values);
  static Tensor from(const Shape& shape, std::span<const float> values);
  // A shape alone: its numbers come later, or are no longer needed.
  static Tensor without_memory(const Shape& shape);
  // Numbers of someone else, such as a mapped file, that nobody writes to.
  static Tensor borrowed(const Shape& shape,
                         std::shared_ptr<const float> numbers);

  explicit operator bool() const { return memory_ != nullptr; }
  const Shape& shape() const { return shape_; }
  int64_t dim(int axis) const { return shape_[axis]; }
  int64_t size() const { return memory_ ? shape_.size() : 0; }
  // As a matrix: the last axis, and the product of the others.
  int64_t cols() const { return shape_.rank() ? shape_[-1] : 1; }
  int64_t rows() const { return cols() ? size() / cols() : 0; }

  // True if another tensor has the same memory.
  bool is_shared() const { return memory_.use_count() > 1; }

  float* data() const { return data_; }
  std::span<float> span() const { return {data_, static_cast<size_t>(size())}; }
  float& operator[](int64_t i) const { return data_[i]; }
  float item() const;  // the only element

  // Views of the same memory.
  Tensor reshaped(const Shape& shape) const;
  Tensor row_range(int64_t begin, int64_t end) const;  // of the first axis

  Tensor clone() const;
  void fill(float value) const;
  void copy_from(const Tensor& other) const;  // same number of elements

 private:
  std::shared_ptr<float> memory_;
  float* data_ = nullptr;
  Shape shape_;
};

}  // namespace fovea
