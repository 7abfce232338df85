#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <vector>

namespace fovea {

// Blocks of memory that a thread has given back lately, for it to take again
// without asking the others. Blocks of one size are alike, so that sizes are
// rounded up to one of a few. Others may drain it; hardly anyone waits for its
// lock.
class BlockCache {
 public:
  static constexpr size_t kUnit = 64;
  static constexpr size_t kLargest = size_t{1} << 16;  // of a block
  static constexpr size_t kMost = size_t{1} << 21;     // of all together

  // A multiple of kUnit, with up to kLargest bytes one of eight sizes between
  // a power of two and the next.
  static size_t rounded(size_t bytes);

  // `size` is rounded. Null if there is none.
  void* take(size_t size);
  // `size` is rounded and at most kLargest. False if there is no room.
  bool put(void* memory, size_t size);
  // Hands all blocks to `release(memory, size)`.
  template <class Release>
  void drain(Release release) {
    std::lock_guard lock(mutex_);
    for (auto& [size, blocks] : bins_) {
      for (void* memory : blocks) release(memory, size);
      blocks.clear();
    }
    bytes_ = 0;
  }

  size_t bytes() const {
    std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  struct Bin {
    size_t size = 0;
    std::vector<void*> blocks;
  };
  static constexpr int kBins = 8 * 8;

  mutable std::mutex mutex_;
  std::array<Bin, kBins> bins_;
  size_t bytes_ = 0;
};

}  // namespace fovea
