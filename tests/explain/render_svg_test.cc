#include "fovea/explain/render_svg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/explain/color.h"
#include "fovea/explain/svg_writer.h"
#include "support/well_formed.h"

namespace fovea {
namespace {

using testing::xml_fault;

std::vector<std::string> words(size_t count) {
  std::vector<std::string> labels;
  for (size_t i = 0; i < count; ++i) labels.push_back(join("word", i));
  return labels;
}

// Values that differ from cell to cell.
Heatmap map_of(size_t rows, size_t columns) {
  Tensor weights({static_cast<int64_t>(rows), static_cast<int64_t>(columns)});
  for (int64_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<float>(i * 37 % 101) / 101;
  }
  return heatmap_of_weights(weights, words(rows), words(columns));
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RenderSvg, TellsEveryCellsLabelsAndValue) {
  Heatmap map = map_of(2, 3);
  map.values = {0.125f, 0.25f, 0.5f, 1, 0, 0.0625f};
  map.row_name = "target";
  map.column_name = "source";
  const std::string svg = render_svg(map);
  EXPECT_EQ(xml_fault(svg), "");
  const std::regex cell(
      "fill=\"(#[0-9a-f]{6})\" d=\"[^\"]*\"><title>target: word([0-9])\n"
      "source: word([0-9])\n([0-9.]*)</title>");
  size_t seen = 0;
  for (std::sregex_iterator it(svg.begin(), svg.end(), cell), end; it != end;
       ++it, ++seen) {
    const float value =
        map.at(std::stoul((*it)[2].str()), std::stoul((*it)[3].str()));
    EXPECT_EQ(std::stof((*it)[4].str()), value);
    EXPECT_EQ((*it)[1].str(), hex_text(sequential_color(value)));
  }
  EXPECT_EQ(seen, 6u);
}

TEST(RenderSvg, IsWellFormedAtAllSizesAndWithAllOptions) {
  for (const size_t size : {0, 1, 5, 60, 90}) {
    for (const SvgTheme theme :
         {SvgTheme::kAuto, SvgTheme::kLight, SvgTheme::kDark}) {
      const std::string svg = render_svg(
          map_of(size, size), {.theme = theme, .numbers = size <= 5});
      EXPECT_EQ(xml_fault(svg), "") << size;
      EXPECT_FALSE(contains(svg, "nan") || contains(svg, "inf")) << size;
    }
  }
}

TEST(RenderSvg, EscapesWhatTokensHold) {
  Heatmap map = map_of(2, 2);
  map.title = "a < b & \"c\" 'd' ]]> \x01";
  map.note = "<script>alert(1)</script>";
  map.rows = {"<b>", "\x1b[31m\xff\ufffe"};
  map.columns = {"\"/><script>", "--><![CDATA["};
  map.row_name = "<i";
  map.caution = "&amp;<x>";
  const std::string svg = render_svg(map, {.numbers = true});
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_FALSE(contains(svg, "<script") || contains(svg, "<b>") ||
               contains(svg, "<![CDATA") || contains(svg, "\xff"));
  EXPECT_TRUE(contains(svg, "&lt;b&gt;"));
  EXPECT_TRUE(contains(svg, "\\x1b[31m\\xff\\u{fffe}"));
}

TEST(RenderSvg, NeedsNothingFromElsewhere) {
  const std::string svg = render_svg(map_of(3, 3));
  EXPECT_EQ(count(svg, "http"), 1u);  // the name of the SVG name space
  for (const char* part : {"<script", "href", "url(", "@import", "<image",
                           "<foreignObject", " on"}) {
    EXPECT_FALSE(contains(svg, part)) << part;
  }
}

TEST(RenderSvg, FollowsTheReadersThemeUnlessOneIsForced) {
  const Heatmap map = map_of(2, 2);
  EXPECT_TRUE(contains(render_svg(map), "prefers-color-scheme:dark"));
  const std::string dark = render_svg(map, {.theme = SvgTheme::kDark});
  const std::string light = render_svg(map, {.theme = SvgTheme::kLight});
  EXPECT_FALSE(contains(dark, "prefers") || contains(light, "prefers"));
  EXPECT_TRUE(contains(light, ".g{fill:#fff}"));
  EXPECT_FALSE(contains(dark, ".g{fill:#fff}"));
}

TEST(RenderSvg, TurnsColumnLabelsOnlyWhenTheyAreLong) {
  Heatmap map = map_of(2, 2);
  EXPECT_EQ(count(render_svg(map), "rotate(-45"), 2u);
  map.columns = {"a", "b"};
  EXPECT_EQ(count(render_svg(map), "rotate(-45"), 0u);
  // The row name is turned, too.
  EXPECT_EQ(count(render_svg(map_of(60, 60)), "rotate(-90"), 61u);
}

TEST(RenderSvg, HatchesHiddenCellsAndSaysSo) {
  Heatmap map = map_of(2, 2);
  EXPECT_FALSE(contains(render_svg(map), "hidden"));
  map.shown = {true, false, true, true};
  map.marked = row_argmax(map);
  const std::string svg = render_svg(map);
  EXPECT_EQ(count(svg, "\nhidden</title>"), 1u);
  EXPECT_EQ(count(svg, ">hidden</text>"), 1u);
}

TEST(RenderSvg, PutsSeveralMapsInOnePicture) {
  std::vector<Heatmap> heads(5, map_of(3, 3));
  for (size_t h = 0; h < heads.size(); ++h) heads[h].note = join("head ", h);
  const std::string svg = render_svg(heads);
  EXPECT_EQ(xml_fault(svg), "");
  for (const Heatmap& head : heads) EXPECT_TRUE(contains(svg, head.note));
  // One legend and one caution for all.
  EXPECT_EQ(count(svg, "largest of its row"), 1u);
  EXPECT_EQ(count(svg, "A weight is not"), 1u);
  EXPECT_EQ(xml_fault(render_svg(std::vector<Heatmap>{})), "");
  EXPECT_EQ(xml_fault(render_svg(heads, {.per_row = 1})), "");
  EXPECT_THROW(render_svg(heads, {.per_row = -1}), Error);
}

TEST(RenderSvg, StaysSmallWithFortyThousandCells) {
  const std::string svg = render_svg(map_of(200, 200));
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_LT(svg.size(), 1200000u);
  EXPECT_GT(svg.size(), 40000u * 5);
  // Every other label.
  EXPECT_TRUE(contains(svg, ">word198</text>"));
  EXPECT_FALSE(contains(svg, ">word199</text>"));
}

TEST(SvgNumber, IsShort) {
  EXPECT_EQ(svg_number(12), "12");
  EXPECT_EQ(svg_number(12.34), "12.3");
  EXPECT_EQ(svg_number(-0.01), "0");
}

TEST(XmlFault, SeesWhatIsWrong) {
  EXPECT_EQ(xml_fault("<a b=\"c\"><d/>&lt;</a>"), "");
  for (const char* bad : {"<a>", "</a>", "<a></b>", "<a b=c/>", "<a/>&x;",
                          "<a/>\x01", "<a", "<a b=\"<\"/>"}) {
    EXPECT_NE(xml_fault(bad), "") << bad;
  }
}

TEST(RenderSvg, PrintsSumsOfRowsOnDemand) {
  Heatmap map =
      heatmap_of_weights(Tensor::of({1, 2}, {0.25f, 0.5f}), {"a"}, {"x", "y"});
  const std::string plain = render_svg(map),
                    sums = render_svg(map, {.row_sums = true});
  EXPECT_EQ(plain.find(">sum<"), plain.npos);
  EXPECT_NE(sums.find(">sum<"), sums.npos);
  EXPECT_NE(sums.find(">0.75<"), sums.npos);
}

}  // namespace
}  // namespace fovea
