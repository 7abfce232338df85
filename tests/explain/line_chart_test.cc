#include "fovea/explain/line_chart.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/check.h"
#include "support/well_formed.h"

namespace fovea {
namespace {

Series line(const std::string& name, std::vector<double> y) {
  Series series{.name = name, .y = std::move(y)};
  for (size_t i = 0; i < series.y.size(); ++i) series.x.push_back(double(i));
  return series;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++n;
  }
  return n;
}

// The path of a series, as it is written.
std::string path_of(const std::string& svg, int series) {
  const std::string begin =
      join("<path class=\"l", series, "\" stroke-width=\"1.7\"");
  const size_t at = svg.find(begin);
  if (at == std::string::npos) return "";
  const size_t from = svg.find(" d=\"", at) + 4;
  return svg.substr(from, svg.find('"', from) - from);
}

TEST(LineChart, DrawsEachPointInItsPlace) {
  const std::string svg = render_chart(
      {.title = "Loss", .x_name = "step", .series = {line("a", {0, 10, 5})}});
  // 58..544 across, 274 at the bottom and 40 at the top.
  EXPECT_EQ(path_of(svg, 0), "M58 274L301 40L544 157");
  EXPECT_EQ(testing::xml_fault(svg), "");
}

TEST(LineChart, TellsTheValuesUnderThePointer) {
  const std::string svg = render_chart(
      {.x_name = "step",
       .series = {line("train", {4, 3, 2.5}), line("valid", {5, NAN, 3.5})}});
  EXPECT_TRUE(has(svg, "<title>step 0\ntrain: 4\nvalid: 5</title>")) << svg;
  EXPECT_TRUE(has(svg, "<title>step 1\ntrain: 3</title>"));
  EXPECT_TRUE(has(svg, "<title>step 2\ntrain: 2.5\nvalid: 3.5</title>"));
}

TEST(LineChart, LeavesGapsAndShowsLonelyPoints) {
  const std::string svg =
      render_chart({.series = {line("a", {1, 2, NAN, 3, INFINITY, 5, 6})}});
  EXPECT_EQ(count(path_of(svg, 0), "M"), 3u) << path_of(svg, 0);
  EXPECT_TRUE(has(svg, "<path class=\"d0\" d=\"M")) << "the 3 is a dot";
}

TEST(LineChart, ThinsLongSeriesButKeepsPeaks) {
  std::vector<double> y(200000, 1.0);
  y[123456] = 10;
  const std::string svg = render_chart({.series = {line("a", y)}});
  EXPECT_LT(svg.size(), 60000u);
  EXPECT_TRUE(has(path_of(svg, 0), " 40L")) << "the peak reaches the top";
}

TEST(LineChart, LeavesOutWhatALogarithmCannotShow) {
  const std::string svg =
      render_chart({.series = {line("a", {0, 1, -3, 100})}, .log_y = true});
  EXPECT_EQ(count(path_of(svg, 0), "M"), 2u);
  EXPECT_TRUE(has(svg, ">100<"));
}

TEST(LineChart, SaysWhenThereIsNothing) {
  EXPECT_TRUE(has(render_chart({}), "nothing to show yet"));
  EXPECT_TRUE(has(render_chart({.series = {line("a", {NAN, NAN})}}),
                  "nothing to show yet"));
  EXPECT_EQ(testing::xml_fault(render_chart({})), "");
}

TEST(LineChart, NamesManySeriesInRows) {
  Chart chart;
  for (int i = 0; i < 12; ++i) {
    chart.series.push_back(line(join("a long name ", i), {1.0 * i, 2.0 * i}));
  }
  const std::string svg = render_chart(chart);
  for (const Series& series : chart.series) {
    EXPECT_TRUE(has(svg, ">" + series.name + "</text>")) << series.name;
  }
  EXPECT_TRUE(has(svg, "stroke-dasharray=\"5 3\"")) << "colours come again";
}

TEST(LineChart, MarksPlacesInsideOnly) {
  const std::string svg = render_chart(
      {.series = {line("a", {1, 2})}, .marks = {{1, "best"}, {7, "beyond"}}});
  EXPECT_TRUE(has(svg, ">best<"));
  EXPECT_FALSE(has(svg, ">beyond<"));
}

TEST(LineChart, TakesAnyTextAndRefusesUnevenSeries) {
  const std::string bad = "<script>\"&'\xff\n</svg>";
  const std::string svg =
      render_chart({.title = bad,
                    .x_name = bad,
                    .y_name = bad,
                    .series = {line(bad, {1, 2}), line(bad, {2, 1})},
                    .marks = {{1, bad}}});
  EXPECT_EQ(testing::xml_fault(svg), "");
  EXPECT_FALSE(has(svg, "<script"));
  EXPECT_THROW(render_chart({.series = {{"a", {1, 2}, {1}}}}), Error);
}

}  // namespace
}  // namespace fovea
