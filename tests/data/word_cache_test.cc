#include "fovea/data/word_cache.h"

#include <gtest/gtest.h>

#include <atomic>

#include "fovea/base/parallel.h"

namespace fovea {
namespace {

TEST(WordCache, AsksOnceForEachWord) {
  WordCache cache;
  int asked = 0;
  const auto cut = [&](std::string_view word) {
    ++asked;
    return std::vector<int>(2, static_cast<int>(word.size()));
  };
  std::vector<int> ids = {7};
  for (const char* word : {"a", "bcd", "a", "bcd"}) {
    cache.append(word, cut, ids);
  }
  EXPECT_EQ(ids, (std::vector<int>{7, 1, 1, 3, 3, 1, 1, 3, 3}));
  EXPECT_EQ(asked, 2);
}

TEST(WordCache, IsRightForMoreWordsThanItHoldsAndManyThreads) {
  WordCache cache;
  const ThreadLimit limit(4);
  std::atomic<int> wrong = 0;
  parallel_tasks(8, [&](int64_t, int) {
    for (int i = 0; i < 20000; ++i) {
      std::vector<int> ids;
      cache.append(
          std::to_string(i * 17 % 200000),
          [](std::string_view word) {
            return std::vector<int>{std::stoi(std::string(word))};
          },
          ids);
      wrong += ids != std::vector<int>{i * 17 % 200000};
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace fovea
