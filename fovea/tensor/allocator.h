#pragma once

#include <cstddef>

namespace fovea {

// Memory for tensors: one reserved range of addresses, given out in 64-byte
// units, best fit first, neighbours joined when they are free. Sizes of ragged
// batches differ in every step; since free blocks split and join, a step reuses
// what the last one left whatever its sizes, and nothing is asked of the system
// once the largest step has been seen. Threads may share it; each keeps up to
// two megabytes of small blocks for itself, see BlockCache, so that they seldom
// wait for each other.
class Allocator {
 public:
  static constexpr size_t kAlignment = 64;

  struct Stats {
    size_t live = 0;          // bytes in use now
    size_t peak_live = 0;     // most bytes in use or kept since reset_peak()
    size_t reserved = 0;      // bytes held from the system now
    size_t high_water = 0;    // most bytes ever held from the system
    size_t system_calls = 0;  // how often the system was asked for memory
  };

  static Allocator& shared();

  // Memory is not initialised. Throws a resource error when there is none.
  void* allocate(size_t bytes);
  void release(void* memory, size_t bytes) noexcept;

  Stats stats() const;
  void reset_peak();

  // Above this many bytes, free memory at the end goes back to the system.
  void set_trim_limit(size_t bytes);

  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

 private:
  Allocator();
  ~Allocator() = delete;  // lives as long as the process
  struct State;
  class ThreadBlocks;
  State* state_;
};

// An uninitialised array for a kernel's scratch, returned at the end of scope.
template <class T>
class Scratch {
 public:
  explicit Scratch(size_t count)
      : count_(count),
        data_(
            static_cast<T*>(Allocator::shared().allocate(count * sizeof(T)))) {}
  ~Scratch() { Allocator::shared().release(data_, count_ * sizeof(T)); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* data() const { return data_; }
  size_t size() const { return count_; }
  T& operator[](size_t i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + count_; }

 private:
  size_t count_;
  T* data_;
};

}  // namespace fovea
