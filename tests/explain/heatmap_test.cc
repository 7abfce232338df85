#include "fovea/explain/heatmap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/explain/scale.h"

namespace fovea {
namespace {

Heatmap two_by_three() {
  return {.rows = {"a", "b"},
          .columns = {"x", "y", "z"},
          .values = {0.1f, 0.7f, 0.2f, 0.4f, 0.3f, 0.3f}};
}

void expect_refused(const Heatmap& map, const std::string& part) {
  try {
    check_heatmap(map);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << error.what();
  }
}

TEST(Heatmap, MustHaveAsManyLabelsAsRowsAndColumns) {
  Heatmap map = two_by_three();
  EXPECT_NO_THROW(check_heatmap(map));
  map.rows.push_back("c");
  expect_refused(map, "6 values but 3 row labels and 3 column labels");
}

TEST(Heatmap, NamesAValueThatIsNoNumber) {
  Heatmap map = two_by_three();
  map.values[4] = NAN;
  expect_refused(map, "row 1 ('b'), column 1 ('y') is nan");
  map.values[4] = -INFINITY;
  expect_refused(map, "is -inf");
  map.shown = {true, true, true, true, false, true};
  EXPECT_NO_THROW(check_heatmap(map));  // a masked score may be -inf
}

TEST(Heatmap, RefusesMasksMarksAndRangesThatDoNotFit) {
  Heatmap map = two_by_three();
  map.shown = {true};
  expect_refused(map, "1 entries in the mask for 2 x 3 cells");
  map = two_by_three();
  map.marked = {0};
  expect_refused(map, "1 marked columns for 2 rows");
  map.marked = {0, 3};
  expect_refused(map, "column 3 is marked, of 3");
  map = two_by_three();
  map.range = ValueRange::kUnit;
  map.values[0] = 1.5f;
  expect_refused(map, "1.5, beyond 0..1");
}

TEST(RowArgmax, FindsTheFirstLargestValueShown) {
  Heatmap map = two_by_three();
  EXPECT_EQ(row_argmax(map), (std::vector<int>{1, 0}));
  map.shown = {true, false, true, false, false, false};
  EXPECT_EQ(row_argmax(map), (std::vector<int>{2, -1}));
  map = two_by_three();
  map.values = {0, 0, 0, -1, -1, -2};
  EXPECT_EQ(row_argmax(map), (std::vector<int>{0, 0}));
}

TEST(RowSum, LeavesHiddenCellsOut) {
  Heatmap map = two_by_three();
  EXPECT_FLOAT_EQ(row_sum(map, 0), 1.0f);
  map.shown = {true, false, true, true, true, true};
  EXPECT_FLOAT_EQ(row_sum(map, 0), 0.3f);
}

TEST(HeatmapOfWeights, MarksTheLargestAndSaysThatNothingWasTested) {
  const Heatmap map =
      heatmap_of_weights(Tensor::of({1, 2}, {0.3f, 0.7f}), {"q"}, {"k1", "k2"});
  EXPECT_EQ(map.marked, std::vector<int>{1});
  EXPECT_EQ(map.range, ValueRange::kUnit);
  EXPECT_NE(map.caution.find("not tested"), std::string::npos);
}

TEST(HeatmapOfWeights, WidensTheRangeForWeightsBeyondOne) {
  auto range = [](float a, float b) {
    return heatmap_of_weights(Tensor::of({1, 2}, {a, b}), {"q"}, {"x", "y"})
        .range;
  };
  EXPECT_EQ(range(1.00001f, 0), ValueRange::kUnit);
  EXPECT_EQ(range(3, 1), ValueRange::kAuto);
  EXPECT_EQ(range(3, -2), ValueRange::kSymmetric);
}

TEST(Scale, SpansWhatTheRangeSays) {
  Heatmap map = two_by_three();
  map.values = {-2, 1, 0, 1, 1, 1};
  const Scale automatic({&map, 1});
  EXPECT_EQ(automatic.low(), -2);
  EXPECT_EQ(automatic.high(), 1);
  EXPECT_FLOAT_EQ(automatic.position(-0.5f), 0.5f);
  map.range = ValueRange::kSymmetric;
  const Scale symmetric({&map, 1});
  EXPECT_EQ(symmetric.low(), -2);
  EXPECT_EQ(symmetric.high(), 2);
  EXPECT_FLOAT_EQ(symmetric.position(-1), -0.5f);
}

TEST(Scale, SurvivesConstantEmptyAndHugeMaps) {
  Heatmap map = two_by_three();
  map.values.assign(6, 3.0f);
  EXPECT_EQ(Scale({&map, 1}).position(3), 0);
  map.range = ValueRange::kSymmetric;
  map.values.assign(6, 0.0f);
  EXPECT_EQ(Scale({&map, 1}).position(0), 0);
  map.range = ValueRange::kAuto;
  map.values = {-3e38f, 3e38f, 0, 0, 0, 0};
  EXPECT_FLOAT_EQ(Scale({&map, 1}).position(0), 0.5f);
  const Heatmap none;
  EXPECT_EQ(Scale({&none, 1}).high(), 1);
}

TEST(Scale, IsOneForAllMapsOfAPicture) {
  std::vector<Heatmap> maps(2, two_by_three());
  maps[1].values[0] = 9;
  EXPECT_EQ(Scale(maps).high(), 9);
  maps[1].range = ValueRange::kSymmetric;
  EXPECT_THROW(Scale{maps}, Error);
}

TEST(Scale, WritesShortNumbers) {
  Heatmap map = two_by_three();
  auto text = [&](float largest, float value) {
    map.values[0] = largest;
    return Scale({&map, 1}).text(value);
  };
  EXPECT_EQ(text(1, 0.534f), ".53");
  EXPECT_EQ(text(1, 1), "1");
  EXPECT_EQ(text(1, 0), "0");
  EXPECT_EQ(text(1, 0.001f), ".00");
  EXPECT_EQ(text(4, -0.5f), "-.50");
  EXPECT_EQ(text(4, 2.25f), "2.25");
  EXPECT_EQ(text(36, 12.34f), "12.3");
  EXPECT_EQ(text(112, 96), "96");
  EXPECT_EQ(text(2e6f, 2e6f), "2.0e+06");
}

}  // namespace
}  // namespace fovea
