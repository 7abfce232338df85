#include "fovea/tensor/block_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace fovea {
namespace {

TEST(BlockCache, RoundsUpToFewSizesAndWastesLittle) {
  size_t before = 0, sizes = 0;
  for (size_t bytes = 0; bytes <= BlockCache::kLargest; bytes += 8) {
    const size_t size = BlockCache::rounded(bytes);
    ASSERT_GE(size, std::max<size_t>(bytes, 1)) << bytes;
    ASSERT_EQ(size % BlockCache::kUnit, 0u) << bytes;
    ASSERT_LE(size, bytes + bytes / 8 + BlockCache::kUnit) << bytes;
    ASSERT_GE(size, before) << bytes;
    ASSERT_EQ(BlockCache::rounded(size), size) << bytes;
    sizes += size != before;
    before = size;
  }
  EXPECT_LE(sizes, 90u);
  EXPECT_EQ(BlockCache::rounded(BlockCache::kLargest + 1),
            BlockCache::kLargest + BlockCache::kUnit);
}

TEST(BlockCache, GivesBackWhatItWasGivenOfThatSize) {
  BlockCache blocks;
  char memory[3];
  EXPECT_EQ(blocks.take(64), nullptr);
  EXPECT_TRUE(blocks.put(&memory[0], 64));
  EXPECT_TRUE(blocks.put(&memory[1], 128));
  EXPECT_TRUE(blocks.put(&memory[2], 64));
  EXPECT_EQ(blocks.bytes(), 256u);
  EXPECT_EQ(blocks.take(192), nullptr);
  EXPECT_EQ(blocks.take(64), &memory[2]);  // the last is still in the caches
  EXPECT_EQ(blocks.take(64), &memory[0]);
  EXPECT_EQ(blocks.take(64), nullptr);
  EXPECT_EQ(blocks.take(128), &memory[1]);
  EXPECT_EQ(blocks.bytes(), 0u);
}

TEST(BlockCache, TellsAllItsSizesApart) {
  BlockCache blocks;
  std::vector<char> memory(BlockCache::kLargest / BlockCache::kUnit + 1);
  std::map<size_t, void*> places;
  for (size_t size = BlockCache::kUnit; size <= BlockCache::kLargest;
       size = BlockCache::rounded(size + 1)) {
    places[size] = &memory[size / BlockCache::kUnit];
    ASSERT_TRUE(blocks.put(places[size], size));
  }
  for (const auto& [size, place] : places) {
    EXPECT_EQ(blocks.take(size), place) << size;
    EXPECT_EQ(blocks.take(size), nullptr) << size;
  }
}

TEST(BlockCache, HasAnEndAndIsDrained) {
  BlockCache blocks;
  char memory;
  size_t count = 0;
  while (blocks.put(&memory, BlockCache::kLargest)) ++count;
  EXPECT_EQ(count, BlockCache::kMost / BlockCache::kLargest);
  size_t drained = 0;
  blocks.drain([&](void* place, size_t size) {
    EXPECT_EQ(place, &memory);
    EXPECT_EQ(size, BlockCache::kLargest);
    ++drained;
  });
  EXPECT_EQ(drained, count);
  EXPECT_EQ(blocks.bytes(), 0u);
  EXPECT_EQ(blocks.take(BlockCache::kLargest), nullptr);
  EXPECT_TRUE(blocks.put(&memory, 64));
}

}  // namespace
}  // namespace fovea
