#include "fovea/tensor/allocator.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <future>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/base/rng.h"
#include "support/effort.h"

namespace fovea {
namespace {

constexpr size_t kMegabyte = size_t{1} << 20;

Allocator& allocator() { return Allocator::shared(); }

// A block that is given back at the end.
class Block {
 public:
  explicit Block(size_t bytes)
      : bytes_(bytes), memory_(allocator().allocate(bytes)) {}
  Block(Block&& other) noexcept
      : bytes_(other.bytes_), memory_(std::exchange(other.memory_, nullptr)) {}
  Block& operator=(Block&&) = delete;
  ~Block() {
    if (memory_) allocator().release(memory_, bytes_);
  }
  char* data() const { return static_cast<char*>(memory_); }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_;
  void* memory_;
};

TEST(Allocator, GivesAlignedMemoryThatDoesNotOverlap) {
  std::vector<Block> blocks;
  for (int i = 0; i < 200; ++i) {
    blocks.emplace_back(i * 37 % 1000);
    std::memset(blocks.back().data(), i, blocks.back().bytes());
  }
  for (int i = 0; i < 200; ++i) {
    const Block& block = blocks[i];
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data()) % 64, 0u);
    for (size_t j = 0; j < block.bytes(); ++j) {
      ASSERT_EQ(block.data()[j], static_cast<char>(i));
    }
  }
}

TEST(Allocator, CountsLiveBytesAndTheirPeak) {
  const size_t before = allocator().stats().live;
  allocator().reset_peak();
  {
    const Block a(100), b(64);
    EXPECT_EQ(allocator().stats().live, before + 128 + 64);
  }
  EXPECT_EQ(allocator().stats().live, before);
  EXPECT_EQ(allocator().stats().peak_live, before + 192);
  allocator().reset_peak();
  EXPECT_EQ(allocator().stats().peak_live, before);
}

TEST(Allocator, JoinsFreeNeighbours) {
  constexpr int kCount = 64;
  std::vector<std::pair<void*, size_t>> blocks;
  for (int i = 0; i < kCount; ++i) {
    blocks.emplace_back(allocator().allocate(kMegabyte / 2), kMegabyte / 2);
  }
  const auto before = allocator().stats();
  // Every second one first, so that each of the others joins on both sides.
  for (int first : {0, 1}) {
    for (int i = first; i < kCount; i += 2) {
      allocator().release(blocks[i].first, blocks[i].second);
    }
  }
  const Block all(kCount * kMegabyte / 2);
  EXPECT_EQ(allocator().stats().system_calls, before.system_calls);
  EXPECT_EQ(allocator().stats().reserved, before.reserved);
}

TEST(Allocator, ReusesMemoryWhateverTheSizes) {
  const RandomKey key(5);
  const auto step = [&](int number) {
    std::vector<Block> blocks;
    for (int i = 0; i < 30; ++i) {
      blocks.emplace_back(
          1000 + random_below(key.with(number), i, 4 * kMegabyte / 10));
    }
  };
  allocator().reset_peak();
  for (int i = 0; i < 50; ++i) step(i);
  const auto warm = allocator().stats();
  for (int i = 50; i < testing::effort(1000, 200); ++i) step(i);
  const auto after = allocator().stats();
  EXPECT_LE(after.system_calls, warm.system_calls + 1);
}

TEST(Allocator, GivesFreeMemoryAboveTheLimitBack) {
  constexpr size_t kNone = std::numeric_limits<size_t>::max();
  { const Block large(100 * kMegabyte); }
  EXPECT_GE(allocator().stats().reserved, 100 * kMegabyte);
  const size_t high_water = allocator().stats().high_water;
  EXPECT_GE(high_water, 100 * kMegabyte);

  allocator().set_trim_limit(16 * kMegabyte);
  EXPECT_LE(allocator().stats().reserved, 18 * kMegabyte);
  EXPECT_EQ(allocator().stats().high_water, high_water);
  {
    const Block small(kMegabyte), large(100 * kMegabyte);
    std::memset(large.data(), 1, large.bytes());  // usable again
    EXPECT_GE(allocator().stats().reserved, 100 * kMegabyte);
  }
  EXPECT_LE(allocator().stats().reserved, 18 * kMegabyte);
  allocator().set_trim_limit(kNone);
  { const Block large(50 * kMegabyte); }
  EXPECT_GE(allocator().stats().reserved, 50 * kMegabyte);
}

TEST(Allocator, NamesAResourceErrorWhenThereIsNoMoreMemory) {
  const auto before = allocator().stats();
  try {
    allocator().allocate(size_t{1} << 50);
    FAIL() << "a petabyte was given";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kResource);
  }
  EXPECT_THROW(allocator().allocate(std::numeric_limits<size_t>::max()), Error);
  EXPECT_EQ(allocator().stats().live, before.live);
  EXPECT_EQ(allocator().stats().reserved, before.reserved);
  const Block fine(100);  // and goes on
}

// What a thread keeps for itself is not lost with it.
TEST(Allocator, TakesBackWhatThreadsKept) {
  const auto use_little = [] {
    std::vector<Block> blocks;
    for (int i = 0; i < 32; ++i) blocks.emplace_back(kMegabyte / 20);
  };
  std::thread(use_little).join();
  const auto before = allocator().stats();
  for (int i = 0; i < 100; ++i) std::thread(use_little).join();
  EXPECT_EQ(allocator().stats().live, before.live);
  EXPECT_LE(allocator().stats().reserved, before.reserved + 4 * kMegabyte);
}

TEST(Allocator, UsesWhatOtherThreadsKeepBeforeItAsksTheSystem) {
  std::promise<void> kept, done;
  std::thread other([&] {
    {
      std::vector<Block> blocks;
      for (int i = 0; i < 32; ++i) blocks.emplace_back(kMegabyte / 20);
    }
    kept.set_value();
    done.get_future().wait();
  });
  kept.get_future().wait();
  std::vector<Block> blocks;
  auto before = allocator().stats();
  for (auto now = before; now.system_calls == before.system_calls;) {
    before = now;
    blocks.emplace_back(kMegabyte / 10);
    now = allocator().stats();
  }
  EXPECT_LT(before.reserved - before.live, kMegabyte);
  done.set_value();
  other.join();
}

TEST(Allocator, TakesMemoryBackFromAnyThread) {
  const size_t before = allocator().stats().live;
  std::vector<Block> blocks;
  std::thread([&] {
    for (int i = 0; i < 100; ++i) blocks.emplace_back(1000 + 100 * i);
  }).join();
  EXPECT_GT(allocator().stats().live, before);
  blocks.clear();
  EXPECT_EQ(allocator().stats().live, before);
}

TEST(Allocator, ServesManyThreads) {
  const size_t before = allocator().stats().live;
  ThreadLimit limit(4);
  parallel_tasks(testing::effort(2000, 400), [](int64_t i, int) {
    const Scratch<int64_t> a(1 + i % 100), b(1 + i * 7 % 1000);
    for (int64_t& x : a) x = i;
    for (int64_t& x : b) x = -i;
    for (int64_t x : a) EXPECT_EQ(x, i);
  });
  EXPECT_EQ(allocator().stats().live, before);
}

TEST(Scratch, ReturnsItsMemoryAtTheEndOfScope) {
  const size_t before = allocator().stats().live;
  {
    const Scratch<double> scratch(100);
    EXPECT_EQ(scratch.size(), 100u);
    EXPECT_EQ(scratch.end() - scratch.begin(), 100);
    scratch[99] = 1.5;
    EXPECT_EQ(scratch.data()[99], 1.5);
    EXPECT_EQ(allocator().stats().live, before + 832);
  }
  EXPECT_EQ(allocator().stats().live, before);
}

}  // namespace
}  // namespace fovea
