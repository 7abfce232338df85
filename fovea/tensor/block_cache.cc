#include "fovea/tensor/block_cache.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace fovea {
namespace {

// Units of a block are told apart by their four highest bits.
int spare_bits(size_t units) {
  return std::max(0, static_cast<int>(std::bit_width(units)) - 4);
}

size_t bin_of(size_t size) {
  const size_t units = size / BlockCache::kUnit;
  const int spare = spare_bits(units);
  return 8 * static_cast<size_t>(spare) + (units >> spare) - 1;
}

}  // namespace

size_t BlockCache::rounded(size_t bytes) {
  size_t units = std::max<size_t>(bytes / kUnit + (bytes % kUnit != 0), 1);
  if (bytes <= kLargest) {
    const size_t step = size_t{1} << spare_bits(units);
    units = (units + step - 1) / step * step;
  }
  return units * kUnit;
}

void* BlockCache::take(size_t size) {
  assert(size == rounded(size));
  if (size > kLargest) return nullptr;
  std::lock_guard lock(mutex_);
  std::vector<void*>& blocks = bins_[bin_of(size)].blocks;
  if (blocks.empty()) return nullptr;
  void* memory = blocks.back();
  blocks.pop_back();
  bytes_ -= size;
  return memory;
}

bool BlockCache::put(void* memory, size_t size) {
  assert(size == rounded(size) && size <= kLargest);
  std::lock_guard lock(mutex_);
  if (bytes_ + size > kMost) return false;
  Bin& bin = bins_[bin_of(size)];
  bin.size = size;
  bin.blocks.push_back(memory);
  bytes_ += size;
  return true;
}

}  // namespace fovea
