#include "bench/bars.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/report.h"

namespace fovea::bench {
namespace {

Row row_of(const std::string& name, int threads, double ratio) {
  Row row;
  row.bench = "gemm";
  row.name = name;
  row.threads = threads;
  row.value = 10 * ratio;
  row.unit = "GFLOP/s";
  row.peer = "sgemm peak";
  row.peer_value = ratio > 0 ? 10 : 0;
  row.ratio = ratio;
  return row;
}

TEST(Bars, JudgeEachRowByTheFirstBarThatApplies) {
  const std::vector<Bar> bars = {{"gemm", "small*", {}, BarKind::kRatio, 0.5},
                                 {"gemm", "*", {}, BarKind::kRatio, 0.9},
                                 {"other", "*", {}, BarKind::kRatio, 9}};
  const auto verdicts = judge({row_of("small 1", 1, 0.6), row_of("big", 1, 0.6),
                               row_of("big", 2, 0.95)},
                              bars);
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(verdicts[0].need, 0.5);
  EXPECT_EQ(verdicts[0].ok, true);
  EXPECT_EQ(verdicts[1].ok, false);
  EXPECT_EQ(verdicts[2].ok, true);
  EXPECT_EQ(exit_code(verdicts), 1);
}

TEST(Bars, HoldOnlyForTheirThreadCount) {
  const std::vector<Bar> bars = {{"gemm", "*", 1, BarKind::kRatio, 0.9}};
  const auto verdicts =
      judge({row_of("a", 1, 0.95), row_of("a", 2, 0.1)}, bars);
  EXPECT_EQ(verdicts[0].ok, true);
  EXPECT_FALSE(verdicts[1].need.has_value());
  EXPECT_EQ(exit_code(verdicts), 0);
}

TEST(Bars, NeverCallAnUnmeasuredRowTrue) {
  const std::vector<Bar> bars = {{"gemm", "*", {}, BarKind::kRatio, 0.0}};
  const auto verdicts = judge({row_of("a", 1, 0)}, bars);
  EXPECT_EQ(verdicts[0].need, 0.0);
  EXPECT_FALSE(verdicts[0].ok.has_value());
  EXPECT_EQ(exit_code(verdicts), 2);
}

TEST(Bars, AMissedOneWeighsMoreThanAnUnmeasuredOne) {
  const std::vector<Bar> bars = {{"gemm", "*", {}, BarKind::kRatio, 0.5}};
  EXPECT_EQ(exit_code(judge({row_of("a", 1, 0.4), row_of("b", 1, 0)}, bars)),
            1);
}

TEST(Bars, TakeTheGeometricMeanForEachThreadCount) {
  const std::vector<Bar> bars = {{"gemm", "*", {}, BarKind::kGeomean, 0.97}};
  const auto verdicts = judge({row_of("a", 1, 0.5), row_of("b", 1, 2.0),
                               row_of("a", 2, 0.5), row_of("b", 2, 1.0)},
                              bars);
  ASSERT_EQ(verdicts.size(), 6u);
  EXPECT_FALSE(verdicts[0].need.has_value());
  EXPECT_NEAR(verdicts[4].row.ratio, 1.0, 1e-12);
  EXPECT_EQ(verdicts[4].ok, true);
  EXPECT_NEAR(verdicts[5].row.ratio, std::sqrt(0.5), 1e-12);
  EXPECT_EQ(verdicts[5].ok, false);
}

TEST(Bars, HaveNoMeanWhenOneCaseWasNotMeasured) {
  const std::vector<Bar> bars = {{"gemm", "*", {}, BarKind::kGeomean, 0.1}};
  const auto verdicts = judge({row_of("a", 1, 2), row_of("b", 1, 0)}, bars);
  EXPECT_FALSE(verdicts.back().ok.has_value());
  EXPECT_EQ(exit_code(verdicts), 2);
}

TEST(Bars, CanLimitAValueFromAbove) {
  const std::vector<Bar> bars = {{"gemm", "*", {}, BarKind::kValueAtMost, 4}};
  Row fits = row_of("a", 1, 0), large = fits, unknown = fits;
  fits.value = 4;
  large.value = 4.1;
  unknown.value = std::nan("");
  const auto verdicts = judge({fits, large, unknown}, bars);
  EXPECT_EQ(verdicts[0].ok, true);
  EXPECT_EQ(verdicts[1].ok, false);
  EXPECT_FALSE(verdicts[2].ok.has_value());
}

TEST(KeepBetter, NeverTradesAResultForAWorseOrAbsentOne) {
  std::vector<Row> rows = {row_of("a", 1, 0.8), row_of("b", 1, 0.8),
                           row_of("c", 1, 0.8), row_of("d", 1, 0)};
  keep_better(rows,
              {row_of("a", 1, 0.9), row_of("a", 2, 5), row_of("b", 1, 0.7),
               row_of("c", 1, 0), row_of("d", 1, 0.5)});
  EXPECT_EQ(rows[0].ratio, 0.9);
  EXPECT_EQ(rows[1].ratio, 0.8);
  EXPECT_EQ(rows[2].ratio, 0.8);
  EXPECT_EQ(rows[3].ratio, 0.5);
}

TEST(Bars, ThatNoRowAnswersAreNotMeasured) {
  const std::vector<Bar> bars = {{"gemm", "*", {}, BarKind::kRatio, 0.9},
                                 {"lstm", "*", {}, BarKind::kRatio, 0.9}};
  const auto verdicts = unmet({row_of("a", 1, 1)}, bars);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].row.bench, "lstm");
  EXPECT_EQ(exit_code(verdicts), 2);
}

TEST(Bars, OfTheProjectCanBeRead) {
  EXPECT_FALSE(read_bars(FOVEA_BARS).empty());
}

TEST(Report, PrintsAllKeysOfALineInOrder) {
  const Verdict verdict{row_of("a", 2, 0.5), 0.9, false};
  EXPECT_EQ(json_line(verdict),
            R"({"bench":"gemm","case":"a","threads":2,"value":5.0,)"
            R"("unit":"GFLOP/s","peer":"sgemm peak","peer_value":10.0,)"
            R"("ratio":0.5,"need":0.9,"ok":false})");
}

TEST(Report, PrintsNullForWhatIsNotKnown) {
  const Verdict verdict{row_of("a", 2, 0), 0.9, std::nullopt};
  EXPECT_EQ(json_line(verdict),
            R"({"bench":"gemm","case":"a","threads":2,"value":0.0,)"
            R"("unit":"GFLOP/s","peer":"sgemm peak","peer_value":null,)"
            R"("ratio":null,"need":0.9,"ok":null})");
}

}  // namespace
}  // namespace fovea::bench
