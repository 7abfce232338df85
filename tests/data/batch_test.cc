#include "fovea/data/batch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fovea {
namespace {

TEST(MakeBatch, AddsEndMarksAndSortsByFallingLength) {
  const Batch batch = make_batch(
      {
          {.source = {5}, .target = {6}, .line = 3},
          {.source = {7, 8}, .target = {9, 10}, .line = 2},
          {.source = {11, 12}, .target = {13}, .line = 1},
          {.source = {14}, .target = {15}, .links = {{0, 0}}, .line = 0},
      },
      {.source = 2, .target = 1});
  EXPECT_EQ(batch.lines, (std::vector<int64_t>{2, 1, 0, 3}));
  EXPECT_EQ(batch.source.ids,
            (std::vector<int>{7, 8, 2, 11, 12, 2, 14, 2, 5, 2}));
  EXPECT_EQ(batch.target.ids, (std::vector<int>{9, 10, 1, 13, 1, 15, 1, 6, 1}));
  EXPECT_EQ(batch.target.of.length(0), 3);
  ASSERT_EQ(batch.links.size(), 4u);
  EXPECT_EQ(batch.links[2], (TokenLinks{{0, 0}}));
  EXPECT_TRUE(batch.labels.empty());
  EXPECT_EQ(batch.size(), 4);
}

TEST(MakeBatch, HasLabelsInsteadOfTargets) {
  const Batch batch = make_batch({{.source = {5}, .label = 1, .line = 0},
                                  {.source = {5, 6}, .label = 0, .line = 1}},
                                 {.source = 2});
  EXPECT_EQ(batch.labels, (std::vector<int>{0, 1}));
  EXPECT_EQ(batch.target.of.count(), 0);
  EXPECT_TRUE(batch.links.empty());
}

TEST(CutByTokens, KeepsBothSidesWithinTheBudget) {
  const std::vector<SequenceLength> lengths = {{4, 1}, {4, 1},  {1, 9},
                                               {1, 1}, {20, 1}, {1, 1}};
  EXPECT_EQ(cut_by_tokens(lengths, 10), (std::vector<int>{0, 2, 4, 5, 6}));
  EXPECT_EQ(cut_by_tokens({}, 10), std::vector<int>{0});
}

RC_GTEST_PROP(CutByTokens, CutsOnlyWhereItMust, ()) {
  const auto lengths =
      *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 12));
  std::vector<SequenceLength> pairs;
  for (const int n : lengths) pairs.push_back({n, 12 - n});
  const std::vector<int> begins = cut_by_tokens(pairs, 30);
  RC_ASSERT(begins.front() == 0);
  RC_ASSERT(begins.back() == static_cast<int>(pairs.size()));
  for (size_t b = 0; b + 1 < begins.size(); ++b) {
    int source = 0, target = 0;
    for (int i = begins[b]; i < begins[b + 1]; ++i) {
      source += pairs[i].source;
      target += pairs[i].target;
    }
    RC_ASSERT(std::max(source, target) <= 30);
    if (begins[b + 1] == static_cast<int>(pairs.size())) break;
    source += pairs[begins[b + 1]].source;
    target += pairs[begins[b + 1]].target;
    RC_ASSERT(std::max(source, target) > 30);
  }
}

}  // namespace
}  // namespace fovea
