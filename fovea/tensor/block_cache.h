#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace fovea {

// Blocks of memory that a thread has given back lately, for it to take again
// without asking the others. Blocks of one size are alike, so that sizes are
// rounded up to one of a few. Used by one thread; others may ask for bytes().
class BlockCache {
 public:
  static constexpr size_t kUnit = 64;
  static constexpr size_t kLargest = size_t{1} << 18;  // of a block
  static constexpr size_t kMost = size_t{1} << 22;     // of all together

  // A multiple of kUnit, with up to kLargest bytes one of eight sizes between
  // a power of two and the next.
  static size_t rounded(size_t bytes);

  // `size` is rounded and at most kLargest. Null if there is none.
  void* take(size_t size);
  // False if there is no room.
  bool put(void* memory, size_t size);
  // Hands all blocks to `release(memory, size)`.
  template <class Release>
  void drain(Release release) {
    for (auto& [size, blocks] : bins_) {
      for (void* memory : blocks) release(memory, size);
      blocks.clear();
    }
    bytes_.store(0, std::memory_order_relaxed);
  }

  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Bin {
    size_t size = 0;
    std::vector<void*> blocks;
  };
  static constexpr int kBins = 8 * 10;

  std::array<Bin, kBins> bins_;
  std::atomic<size_t> bytes_ = 0;
};

}  // namespace fovea
