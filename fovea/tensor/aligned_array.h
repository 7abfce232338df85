#pragma once

#include <cstddef>
#include <memory>

#include "fovea/tensor/allocator.h"

namespace fovea {

// An array of plain numbers in the allocator's memory, owned and movable. Not
// initialised.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(size_t count)
      : data_(static_cast<T*>(Allocator::shared().allocate(count * sizeof(T))),
              Release{count * sizeof(T)}),
        count_(count) {}

  T* data() const { return data_.get(); }
  size_t size() const { return count_; }
  T& operator[](size_t i) const { return data_.get()[i]; }

 private:
  struct Release {
    size_t bytes = 0;
    void operator()(T* memory) const {
      Allocator::shared().release(memory, bytes);
    }
  };
  std::unique_ptr<T, Release> data_;
  size_t count_ = 0;
};

}  // namespace fovea
