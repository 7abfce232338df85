#include "fovea/explain/render_view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "explain/explained_example.h"
#include "fovea/base/check.h"
#include "fovea/explain/color.h"
#include "fovea/explain/render_pictures.h"
#include "fovea/explain/render_png.h"
#include "support/well_formed.h"

namespace fovea {
namespace {

using namespace fovea::testing;

class EveryView : public ::testing::TestWithParam<View> {};

TEST_P(EveryView, IsAWellFormedPictureThatStatesItsCaution) {
  for (const SvgTheme theme : {SvgTheme::kAuto, SvgTheme::kDark}) {
    const std::string svg =
        render_view_svg(example(), GetParam(), {}, {.theme = theme});
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_EQ(svg.find("<b>"), std::string::npos);
    EXPECT_NE(svg.find("not by itself an explanation"), std::string::npos);
  }
}

TEST_P(EveryView, IsTextWithAndWithoutColours) {
  const std::string plain = render_view_terminal(example(), GetParam(), {}, {});
  EXPECT_FALSE(plain.empty());
  EXPECT_EQ(plain.find('\033'), std::string::npos);
  EXPECT_NE(plain.find("not by itself an explanation"), std::string::npos);
  TerminalOptions colours;
  colours.color = ColorMode::kTruecolor;
  const std::string coloured =
      render_view_terminal(example(), GetParam(), {}, colours);
  EXPECT_NE(coloured.find("not by itself an explanation"), std::string::npos);
  // A table alone has no colours.
  EXPECT_NE(coloured.find("\033["), std::string::npos);
}

TEST_P(EveryView, IsAPngFile) {
  const std::string svg =
      render_view_svg(example(), GetParam(), {}, {.theme = SvgTheme::kLight});
  const std::string png = render_png(svg, 1);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_GT(png.size(), 1000u);
}

INSTANTIATE_TEST_SUITE_P(
    , EveryView,
    ::testing::Values(View::kAlignment, View::kHeads, View::kModel,
                      View::kNeuron, View::kRollout, View::kGates, View::kFovea,
                      View::kComposition, View::kSteps, View::kStatistics),
    [](const auto& given) { return FieldText<View>::print(given.param); });

size_t occurrences(const std::string& text, const std::string& of) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(of, at)) != text.npos; ++at) ++count;
  return count;
}

TEST(HeadsPicture, HasALineForEachWeightThatCanBeSeen) {
  const std::string svg = render_heads_svg(
      example(), {.layer = "encoder.layer.0.self", .head = 1}, SvgTheme::kAuto);
  // a head that looks at itself
  EXPECT_EQ(occurrences(svg, "stroke-opacity"), 4u);
}

// The numbers of the pictures are those of the CSV.
TEST(HeadsPicture, HasLinesAsStrongAsTheNumbers) {
  Explanation e = example();
  const std::string svg = render_heads_svg(e, {}, SvgTheme::kAuto);
  const Heatmap map = view_maps(e, View::kHeads, {})[0][0];
  for (size_t r = 0; r < map.rows.size(); ++r) {
    for (size_t c = 0; c < map.columns.size(); ++c) {
      if (map.at(r, c) < 0.01f) continue;
      EXPECT_NE(svg.find(join("stroke-opacity=\"", map.at(r, c), "\"")),
                std::string::npos)
          << r << " " << c;
    }
  }
  EXPECT_EQ(occurrences(svg, "stroke-opacity"),
            static_cast<size_t>(std::ranges::count_if(
                map.values, [](float w) { return w >= 0.01f; })));
}

TEST(ModelPicture, HasACellForEachWeight) {
  Explanation e = example();
  e.layers.resize(1);
  e.layers[0].weights.resize(1);
  e.layers[0].statistics.resize(1);
  for (int64_t i = 0; i < 16; ++i) {
    e.layers[0].weights[0][i] = static_cast<float>(i % 4) / 3;
  }
  const std::string svg = render_model_svg(e, SvgTheme::kAuto);
  for (const float value : {1 / 3.0f, 2 / 3.0f, 1.0f}) {
    const std::string color = hex_text(sequential_color(value));
    const size_t at = svg.find(join("fill=\"", color, "\" d=\""));
    ASSERT_NE(at, std::string::npos) << value;
    const std::string path = svg.substr(at, svg.find("/>", at) - at);
    EXPECT_EQ(occurrences(path, "M"), 4u);  // one in each row
  }
}

// Long texts have a line from everything to everything, and a renderer takes a
// millisecond for each.
TEST(HeadsPicture, OfManyTokensHasTheStrongestLinesOnly) {
  Explanation e = example();
  constexpr int kTokens = 200, kHeads = 8;
  e.source.tokens.assign(kTokens, "▁a");
  ExplainedLayer& layer = e.layers[0];
  layer.visible.assign(kTokens * kTokens, true);
  for (const bool equal : {false, true}) {
    std::vector<float> weights(kTokens * kTokens, 0.02f);
    for (size_t i = 0; i < weights.size() && !equal; ++i) {
      weights[i] = static_cast<float>(i * 7 % 97) / 97 * 0.2f;
    }
    layer.weights.assign(kHeads, Tensor::from({kTokens, kTokens}, weights));
    const std::string svg =
        render_heads_svg(e, {.layer = layer.name}, SvgTheme::kAuto);
    EXPECT_EQ(occurrences(svg, "stroke-opacity"), 1000u);
    EXPECT_LE(occurrences(svg, "<path"), 1000u + kHeads + 1);
    EXPECT_NE(svg.find(equal ? "weights from 0.02 on" : "weights from 0.19"),
              std::string::npos);
  }
}

TEST(FoveaLines, PutBracketsAroundTheFocusWithoutColours) {
  const std::string text =
      render_view_terminal(example(), View::kFovea, {}, {});
  EXPECT_NE(text.find("\"y\"  | [unbelievable] <b> </s>"), std::string::npos)
      << text;
}

// Each colour of letters comes with that of its ground, so that both a light
// and a dark terminal will do.
TEST(FoveaLines, CanBeReadOnAnyGround) {
  for (const ColorMode mode : {ColorMode::k256, ColorMode::kTruecolor}) {
    const std::string text =
        render_view_terminal(example(), View::kFovea, {}, {.color = mode});
    const char* ground = mode == ColorMode::k256 ? "48;5;" : "48;2;";
    size_t letters = 0;
    for (size_t at = 0; (at = text.find("38;5;", at)) != text.npos; ++at) {
      EXPECT_EQ(text.substr(text.find(';', at + 5) + 1, 5), ground) << text;
      ++letters;
    }
    EXPECT_EQ(letters, 7u);
    EXPECT_NE(text.find("\033[2munbelievable\033[0m"), text.npos) << text;
  }
}

TEST(FoveaLines, AreNotWiderThanTheScreen) {
  const std::string text =
      render_view_terminal(example(), View::kFovea, {}, {.width = 24});
  EXPECT_NE(text.find("\"y\"  | [unbelievable]\n     | <b> </s>\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace fovea
