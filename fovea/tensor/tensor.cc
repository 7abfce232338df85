#include "fovea/tensor/tensor.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/tensor/allocator.h"

namespace fovea {

Tensor::Tensor(const Shape& shape) : shape_(shape) {
  const size_t bytes = shape.size() * sizeof(float);
  data_ = static_cast<float*>(Allocator::shared().allocate(bytes));
  memory_ = std::shared_ptr<float>(data_, [bytes](float* memory) {
    Allocator::shared().release(memory, bytes);
  });
}

Tensor Tensor::zeros(const Shape& shape) { return full(shape, 0.0f); }

Tensor Tensor::full(const Shape& shape, float value) {
  Tensor t(shape);
  t.fill(value);
  return t;
}

Tensor Tensor::of(const Shape& shape, std::initializer_list<float> values) {
  return from(shape, {values.begin(), values.size()});
}

Tensor Tensor::from(const Shape& shape, std::span<const float> values) {
  check(shape.size() == static_cast<int64_t>(values.size()),
        "tensor: ", values.size(), " values for shape ", shape);
  Tensor t(shape);
  std::copy(values.begin(), values.end(), t.data());
  return t;
}

Tensor Tensor::without_memory(const Shape& shape) {
  Tensor t;
  t.shape_ = shape;
  return t;
}

Tensor Tensor::borrowed(const Shape& shape,
                        std::shared_ptr<const float> numbers) {
  Tensor t;
  t.shape_ = shape;
  t.memory_ = std::const_pointer_cast<float>(std::move(numbers));
  t.data_ = t.memory_.get();
  return t;
}

float Tensor::item() const {
  check(size() == 1, "item: a tensor of shape ", shape_, " is not one number");
  return data_[0];
}

Tensor Tensor::reshaped(const Shape& shape) const {
  check(shape.size() == shape_.size(), "reshape: ", shape_, " does not fit ",
        shape);
  Tensor t = *this;
  t.shape_ = shape;
  return t;
}

Tensor Tensor::row_range(int64_t begin, int64_t end) const {
  check(shape_.rank() > 0 && 0 <= begin && begin <= end && end <= dim(0),
        "rows ", begin, " to ", end, " of a tensor of shape ", shape_);
  const int64_t width = dim(0) ? size() / dim(0) : 0;
  Tensor t = *this;
  t.data_ += begin * width;
  switch (shape_.rank()) {
    case 1:
      t.shape_ = {end - begin};
      break;
    case 2:
      t.shape_ = {end - begin, dim(1)};
      break;
    case 3:
      t.shape_ = {end - begin, dim(1), dim(2)};
      break;
    default:
      t.shape_ = {end - begin, dim(1), dim(2), dim(3)};
  }
  return t;
}

Tensor Tensor::clone() const {
  if (!memory_) return {};
  Tensor t(shape_);
  t.copy_from(*this);
  return t;
}

void Tensor::fill(float value) const { std::ranges::fill(span(), value); }

void Tensor::copy_from(const Tensor& other) const {
  check(size() == other.size(), "copy: ", other.shape(), " into ", shape_);
  std::copy_n(other.data_, other.size(), data_);
}

}  // namespace fovea
