#include "fovea/decode/groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "fovea/base/rng.h"

namespace fovea {
namespace {

std::vector<Group> groups(const std::vector<int>& lengths, int size,
                          int threads = 1) {
  const ThreadLimit limit(threads);
  return groups_of(lengths, {.sentences = size});
}

std::vector<int> random_lengths(int count) {
  std::vector<int> lengths;
  for (int i = 0; i < count; ++i) {
    lengths.push_back(static_cast<int>(random_below(RandomKey(1), i, 30)));
  }
  return lengths;
}

TEST(Groups, HaveEverySentenceOnce) {
  const std::vector<int> lengths = random_lengths(1000);
  std::vector<int> times(lengths.size());
  for (const Group& group : groups(lengths, 7)) {
    EXPECT_LE(group.size(), 7u);
    for (int i : group) ++times[i];
  }
  for (size_t i = 0; i < lengths.size(); ++i) {
    EXPECT_EQ(times[i], lengths[i] > 0) << i;
  }
}

// So that results can be written in order while the work goes on.
TEST(Groups, ComeNearlyInOrder) {
  const std::vector<Group> all = groups(random_lengths(2000), 10);
  EXPECT_LT(std::ranges::max(all.front()), 20);
  int done = 0;
  for (const Group& group : all) {
    for (int i : group) EXPECT_LT(std::abs(i - done), 200);
    done += 10;
  }
}

// So that no thread is long alone at the end.
TEST(Groups, BecomeSmallerTowardsTheEndForSeveralThreads) {
  const std::vector<Group> all = groups(std::vector<int>(1000, 5), 64, 2);
  EXPECT_EQ(all.front().size(), 64u);
  EXPECT_LE(all.back().size(), 8u);
  size_t sentences = all.front().size();
  for (size_t i = 1; i < all.size(); ++i) {
    EXPECT_LE(all[i].size(), all[i - 1].size());
    sentences += all[i].size();
  }
  EXPECT_EQ(sentences, 1000u);
  EXPECT_LT(all.size(), 30u);
}

TEST(Groups, AreWorkedOffOnceEach) {
  const std::vector<int> lengths = random_lengths(500);
  for (int threads : {1, 3}) {
    const ThreadLimit limit(threads);
    std::vector<std::atomic<int>> times(lengths.size());
    int64_t told = 0;
    run_in_groups(
        lengths, {7, 4096},
        [&](const Group& group) {
          for (int i : group) ++times[i];
        },
        [&](int64_t done) {
          EXPECT_GT(done, told);
          told = done;
        });
    for (size_t i = 0; i < lengths.size(); ++i) {
      EXPECT_EQ(times[i], lengths[i] > 0) << i;
    }
    EXPECT_EQ(told, 500);
  }
}

}  // namespace
}  // namespace fovea
