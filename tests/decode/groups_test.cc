#include "fovea/decode/groups.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/base/rng.h"

namespace fovea {
namespace {

std::vector<Group> groups_of(const std::vector<int>& lengths, int size) {
  std::vector<Group> all;
  const ThreadLimit limit(1);
  run_in_groups(lengths, {size, 4096},
                [&](const Group& group) { all.push_back(group); });
  return all;
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
  for (const Group& group : groups_of(lengths, 7)) {
    EXPECT_LE(group.size(), 7u);
    for (int i : group) ++times[i];
  }
  for (size_t i = 0; i < lengths.size(); ++i) {
    EXPECT_EQ(times[i], lengths[i] > 0) << i;
  }
}

// So that results can be written in order while the work goes on.
TEST(Groups, ComeNearlyInOrder) {
  const std::vector<Group> groups = groups_of(random_lengths(2000), 10);
  EXPECT_LT(std::ranges::max(groups.front()), 20);
  int done = 0;
  for (const Group& group : groups) {
    for (int i : group) EXPECT_LT(std::abs(i - done), 200);
    done += 10;
  }
}

}  // namespace
}  // namespace fovea
