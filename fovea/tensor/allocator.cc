#include "fovea/tensor/allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "fovea/base/check.h"
#include "fovea/tensor/block_cache.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define FOVEA_POISON(memory, bytes) ASAN_POISON_MEMORY_REGION(memory, bytes)
#define FOVEA_UNPOISON(memory, bytes) ASAN_UNPOISON_MEMORY_REGION(memory, bytes)
#endif
#endif
#if !defined(FOVEA_POISON)
#define FOVEA_POISON(memory, bytes) ((void)0)
#define FOVEA_UNPOISON(memory, bytes) ((void)0)
#endif

namespace fovea {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kGrowth = kHugePage;

size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

struct Allocator::State {
  std::mutex mutex;
  std::byte* base = nullptr;  // start of the reserved range of addresses
  size_t range = 0;           // its size
  size_t committed = 0;       // usable bytes from base on
  std::map<size_t, size_t> free_by_offset;
  std::set<std::pair<size_t, size_t>> free_by_size;  // (size, offset)
  size_t trim_limit = std::numeric_limits<size_t>::max();
  Stats stats;                       // without what threads keep
  std::set<BlockCache*> of_threads;  // that are running

  void* allocate(size_t size);
  void release(void* memory, size_t size);
  void drain(BlockCache& blocks);
  void drain_all();
  void add_free(size_t offset, size_t size);
  void remove_free(std::map<size_t, size_t>::iterator block);
  void insert_joined(size_t offset, size_t size);
  void grow(size_t at_least);
  void trim();
};

void Allocator::State::add_free(size_t offset, size_t size) {
  free_by_offset.emplace(offset, size);
  free_by_size.emplace(size, offset);
}

void Allocator::State::remove_free(std::map<size_t, size_t>::iterator block) {
  free_by_size.erase({block->second, block->first});
  free_by_offset.erase(block);
}

void Allocator::State::insert_joined(size_t offset, size_t size) {
  auto after = free_by_offset.lower_bound(offset);
  if (after != free_by_offset.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == offset) {
      offset = before->first;
      size += before->second;
      remove_free(before);
    }
  }
  if (after != free_by_offset.end() && offset + size == after->first) {
    size += after->second;
    remove_free(after);
  }
  add_free(offset, size);
}

void Allocator::State::grow(size_t at_least) {
  size_t tail = 0;  // free bytes at the end, which the new ones join
  if (!free_by_offset.empty()) {
    const auto& last = *std::prev(free_by_offset.end());
    if (last.first + last.second == committed) tail = last.second;
  }
  const size_t more = round_up(at_least - tail, kGrowth);
  if (more > range - committed ||
      mprotect(base + committed, more, PROT_READ | PROT_WRITE) != 0) {
    fail(ErrorKind::kResource, "out of memory: ", more >> 20,
         " MB more than the ", committed >> 20,
         " MB in use; use smaller batches");
  }
  madvise(base + committed, more, MADV_HUGEPAGE);
  insert_joined(committed, more);
  committed += more;
  ++stats.system_calls;
  stats.reserved = committed;
  stats.high_water = std::max(stats.high_water, committed);
}

void Allocator::State::trim() {
  if (committed <= trim_limit || free_by_offset.empty()) return;
  auto last = std::prev(free_by_offset.end());
  if (last->first + last->second != committed) return;
  const size_t begin = last->first;
  const size_t keep = round_up(std::max(begin, trim_limit), kHugePage);
  if (keep >= committed) return;
  madvise(base + keep, committed - keep, MADV_DONTNEED);
  mprotect(base + keep, committed - keep, PROT_NONE);
  remove_free(last);
  if (keep > begin) add_free(begin, keep - begin);
  committed = keep;
  stats.reserved = committed;
}

Allocator::Allocator() : state_(new State) {
  // Addresses cost nothing until they are used; take many, or what we may.
  for (size_t range = size_t{1} << 40; range >= kGrowth; range /= 2) {
    void* memory = mmap(nullptr, range, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    const auto address = reinterpret_cast<uintptr_t>(memory);
    const size_t skip = round_up(address, kHugePage) - address;
    state_->base = static_cast<std::byte*>(memory) + skip;
    state_->range = (range - skip) / kHugePage * kHugePage;
    return;
  }
  fail(ErrorKind::kResource, "out of memory: no address space is left");
}

// Of one thread; at its end all goes back.
class Allocator::ThreadBlocks {
 public:
  // Null behind the end of the thread, when its last objects go.
  static BlockCache* mine(State& state) {
    thread_local bool ended = false;
    if (ended) return nullptr;
    thread_local ThreadBlocks blocks(state, ended);
    return &blocks.cache_;
  }

  ThreadBlocks(State& state, bool& ended) : state_(state), ended_(ended) {
    std::lock_guard lock(state_.mutex);
    state_.of_threads.insert(&cache_);
  }
  ThreadBlocks(const ThreadBlocks&) = delete;
  ThreadBlocks& operator=(const ThreadBlocks&) = delete;
  ~ThreadBlocks() {
    ended_ = true;
    std::lock_guard lock(state_.mutex);
    state_.drain(cache_);
    state_.trim();
    state_.of_threads.erase(&cache_);
  }

 private:
  State& state_;
  bool& ended_;
  BlockCache cache_;
};

Allocator& Allocator::shared() {
  static Allocator* allocator = new Allocator;
  return *allocator;
}

void* Allocator::State::allocate(size_t size) {
  const auto best_fit = [&] { return free_by_size.lower_bound({size, 0}); };
  auto fit = best_fit();
  if (fit == free_by_size.end()) {
    drain_all();
    fit = best_fit();
  }
  if (fit == free_by_size.end()) {
    grow(size);
    fit = best_fit();
  }
  const auto [found, offset] = *fit;
  remove_free(free_by_offset.find(offset));
  if (found > size) add_free(offset + size, found - size);
  stats.live += size;
  stats.peak_live = std::max(stats.peak_live, stats.live);
  return base + offset;
}

void Allocator::State::release(void* memory, size_t size) {
  const size_t offset = static_cast<std::byte*>(memory) - base;
  assert(offset + size <= committed);
  insert_joined(offset, size);
  stats.live -= size;
}

void Allocator::State::drain(BlockCache& blocks) {
  blocks.drain([this](void* memory, size_t size) { release(memory, size); });
}

void Allocator::State::drain_all() {
  for (BlockCache* blocks : of_threads) drain(*blocks);
}

void* Allocator::allocate(size_t bytes) {
  const size_t size = BlockCache::rounded(bytes);
  check(size >= bytes, "a tensor of ", bytes, " bytes is too large");
  State& s = *state_;
  BlockCache* const own = ThreadBlocks::mine(s);
  void* memory = own != nullptr ? own->take(size) : nullptr;
  if (memory == nullptr) {
    std::lock_guard lock(s.mutex);
    memory = s.allocate(size);
  }
  FOVEA_UNPOISON(memory, bytes);
  return memory;
}

void Allocator::release(void* memory, size_t bytes) noexcept {
  const size_t size = BlockCache::rounded(bytes);
  State& s = *state_;
  FOVEA_POISON(memory, size);
  BlockCache* const own =
      size <= BlockCache::kLargest ? ThreadBlocks::mine(s) : nullptr;
  if (own != nullptr && own->put(memory, size)) return;
  std::lock_guard lock(s.mutex);
  // Sizes that nobody asks for any more must not fill it for good.
  if (own != nullptr) s.drain(*own);
  s.release(memory, size);
  s.trim();
}

Allocator::Stats Allocator::stats() const {
  std::lock_guard lock(state_->mutex);
  Stats stats = state_->stats;
  for (const BlockCache* blocks : state_->of_threads) {
    stats.live -= blocks->bytes();
  }
  return stats;
}

void Allocator::reset_peak() {
  std::lock_guard lock(state_->mutex);
  state_->drain_all();
  state_->stats.peak_live = state_->stats.live;
}

void Allocator::set_trim_limit(size_t bytes) {
  std::lock_guard lock(state_->mutex);
  state_->trim_limit = bytes;
  state_->drain_all();
  state_->trim();
}

}  // namespace fovea
