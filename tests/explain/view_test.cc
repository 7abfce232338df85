#include "fovea/explain/view.h"

#include <gtest/gtest.h>

#include <sstream>

#include "fovea/base/check.h"
#include "fovea/explain/render_pictures.h"
#include "fovea/explain/render_png.h"
#include "fovea/explain/render_view.h"
#include "support/compare.h"
#include "support/well_formed.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// Two layers of an encoder and one cross-attention, with chosen numbers.
Explanation example() {
  Explanation e;
  e.model = "made up";
  e.task = "translate";
  e.source = {"unbelievable <b>",
              {"▁un", "believable", "▁<b>", "</s>"},
              {0, 0, 1, -1},
              {0, 0, 1, 1}};
  e.target = {"x \"y\"", {"▁x", "▁\"y\"", "</s>"}, {0, 1, -1}, {0, 1, 1}};
  e.read = {"<s>", "▁x", "▁\"y\""};
  e.log_probabilities = {std::log(0.5f), std::log(0.25f), 0};
  e.alternatives.resize(3);
  ExplainedLayer self{"encoder.layer.0.self", "self", "scaled_dot"};
  self.queries = Tokens::kSource;
  self.weights = {Tensor::from({4, 4}, std::vector<float>(16, 0.25f)),
                  Tensor::from({4, 4}, std::vector<float>{1, 0, 0, 0,  //
                                                          0, 1, 0, 0,  //
                                                          0, 0, 1, 0,  //
                                                          0, 0, 0, 1})};
  self.visible.assign(16, true);
  self.statistics.resize(2);
  ExplainedVectors v;
  v.scale = 0.5f;
  for (int h = 0; h < 2; ++h) {
    v.query.push_back(
        Tensor::from({4, 2}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
    v.key.push_back(v.query.back());
    v.value.push_back(v.query.back());
  }
  self.vectors = v;
  ExplainedLayer cross{"decoder.layer.0.cross", "cross", "scaled_dot"};
  cross.queries = Tokens::kTarget;
  cross.weights = {Tensor::from(
      {3, 4},
      std::vector<float>{.1f, .2f, .3f, .4f, .5f, .1f, .2f, .2f, 0, 0, 0, 1})};
  cross.visible.assign(12, true);
  cross.statistics.resize(1);
  e.layers = {self, cross};
  e.alignment_layer = cross.name;
  e.alignment = cross.weights[0];
  e.rollouts = {{"encoder", Tokens::kSource, self.weights[0], {}}};
  e.gates = {{"decoder.cross.gate", {.9f, .2f, .6f, .1f}}};
  return e;
}

TEST(View, AlignmentSumsSourceTokensOfAWord) {
  const Heatmap map = source_map(example(), {});
  EXPECT_EQ(map.rows, (std::vector<std::string>{"x", "\"y\"", "</s>"}));
  EXPECT_EQ(map.columns,
            (std::vector<std::string>{"unbelievable", "<b>", "</s>"}));
  EXPECT_TRUE(close(map.values,
                    std::vector<float>{.3f, .3f, .4f, .6f, .2f, .2f, 0, 0, 1},
                    1e-6));
}

TEST(View, MarksCanBeHiddenWithOrWithoutNewSums) {
  const Heatmap hidden =
      source_map(example(), {.words = false, .marks = Marks::kHide});
  EXPECT_EQ(hidden.rows.size(), 2u);
  EXPECT_EQ(hidden.columns.size(), 3u);
  EXPECT_NEAR(row_sum(hidden, 0), 0.6, 1e-6);
  EXPECT_NE(hidden.note.find("less than 1"), std::string::npos);
  const Heatmap whole =
      source_map(example(), {.words = false, .marks = Marks::kRenormalise});
  EXPECT_NEAR(row_sum(whole, 0), 1, 1e-6);
  EXPECT_NEAR(whole.at(0, 2), 0.5, 1e-6);
  EXPECT_NE(whole.note.find("sum to 1 again"), std::string::npos);
}

// SPEC E4: from one sentence to another, the rest is not shown.
TEST(View, HeadsOfAPairOfSentences) {
  const Explanation e = example();
  const ViewOptions second_to_first{.from_sentence = 1, .to_sentence = 0};
  const Heatmap map = view_maps(e, View::kHeads, second_to_first)[0][0];
  EXPECT_TRUE(close(map.values,
                    std::vector<float>{0, 0, 0, 0, .5f, .1f, 0, 0, 0, 0, 0, 0},
                    1e-6));
  EXPECT_EQ(map.shown,
            (std::vector<bool>{false, false, false, false, true, true, false,
                               false, true, true, false, false}));
  EXPECT_EQ(e.layers[1].weights[0][0], .1f);  // the explanation is as it was
  const std::string svg = render_heads_svg(e, second_to_first, {});
  EXPECT_EQ(svg.find("stroke-opacity=\"0.4\""), std::string::npos);
  EXPECT_NE(svg.find("stroke-opacity=\"0.5\""), std::string::npos);
  EXPECT_THROW(view_maps(e, View::kHeads, {.from_sentence = 2}), Error);
  EXPECT_THROW(view_maps(e, View::kHeads, {.to_sentence = 2}), Error);
}

TEST(View, ScoresOfTheNeuronViewAreScaledSumsOfItsProducts) {
  const MapGroups groups = view_maps(example(), View::kNeuron, {.token = 1});
  const Heatmap &products = groups[1][0], &scores = groups[2][0];
  ASSERT_EQ(scores.columns.size(), 4u);
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(scores.at(0, k), 0.5f * row_sum(products, k), 1e-5);
  }
}

TEST(View, CompositionEndsWithWeightedValues) {
  const MapGroups groups =
      view_maps(example(), View::kComposition, {.head = 1});
  const Heatmap& result = groups.back()[0];
  EXPECT_TRUE(
      close(result.values, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, 1e-6));
}

TEST(View, GatesSayHowManyAreOpen) {
  const MapGroups groups = view_maps(example(), View::kGates, {});
  EXPECT_NE(groups[0][0].note.find("2 of 4 open"), std::string::npos);
}

TEST(View, NamesWhatThereIsWhenAskedForWhatThereIsNot) {
  const auto message = [](View view, const ViewOptions& options) {
    try {
      view_maps(example(), view, options);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kUsage);
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(message(View::kHeads, {.layer = "x"}).find("decoder.layer.0.cross"),
            std::string::npos);
  EXPECT_NE(message(View::kAlignment, {.head = 1}).find("it has 1"),
            std::string::npos);
  EXPECT_NE(message(View::kNeuron, {.token = 9}).find("there are 4"),
            std::string::npos);
  EXPECT_NE(message(View::kNeuron, {.layer = "decoder.layer.0.cross"})
                .find("no vectors"),
            std::string::npos);
}

TEST(View, CsvHasTheNumbersOfTheMap) {
  const MapGroups groups = {{source_map(example(), {})}};
  std::istringstream csv(maps_csv(groups));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "map,row,column,row_token,column_token,value");
  size_t i = 0;
  while (std::getline(csv, line)) {
    const float value = std::stof(line.substr(line.rfind(',') + 1));
    EXPECT_EQ(value, groups[0][0].values[i++]);
  }
  EXPECT_EQ(i, 9u);
  EXPECT_NE(maps_csv(groups).find("\"\"\"y\"\"\""), std::string::npos);
}

TEST(View, CsvStartsNoFormula) {
  Heatmap map = source_map(example(), {});
  map.rows[0] = "=1+1";
  EXPECT_NE(maps_csv({{map}}).find(",'=1+1,"), std::string::npos);
}

TEST(View, ContrastShowsWhatTheChangedWordGives) {
  Explanation a = example(), b = example();
  a.source.text = "he works", b.source.text = "she works";
  a.source.words = b.source.words = {0, 1, 1, -1};
  b.layers[0].weights[0] = b.layers[0].weights[1];
  const MapGroups groups = contrast_maps(a, b, "");
  const Heatmap& difference = groups[1][0];
  EXPECT_EQ(difference.columns, (std::vector<std::string>{"he/she", "works"}));
  EXPECT_TRUE(
      close(difference.values, std::vector<float>{-0.75f, 0.5f, 0, 0}, 1e-6));
  EXPECT_NE(difference.caution.find("no proof"), std::string::npos);
  b.source.text = "she worked";
  EXPECT_THROW(contrast_maps(a, b, ""), Error);
}

class EveryView : public ::testing::TestWithParam<View> {};

TEST_P(EveryView, IsAWellFormedPictureThatStatesItsCaution) {
  for (const SvgTheme theme : {SvgTheme::kAuto, SvgTheme::kDark}) {
    const std::string svg =
        render_view_svg(example(), GetParam(), {}, {.theme = theme});
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_EQ(svg.find("<b>"), std::string::npos);
    // Numbers about heads claim nothing about the output.
    if (GetParam() == View::kStatistics) continue;
    EXPECT_NE(svg.find("not by itself an explanation"), std::string::npos);
  }
}

TEST_P(EveryView, IsTextWithAndWithoutColours) {
  const std::string plain = render_view_terminal(example(), GetParam(), {}, {});
  EXPECT_FALSE(plain.empty());
  EXPECT_EQ(plain.find('\033'), std::string::npos);
  TerminalOptions colours;
  colours.color = ColorMode::kTruecolor;
  EXPECT_FALSE(
      render_view_terminal(example(), GetParam(), {}, colours).empty());
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

TEST(HeadsPicture, HasALineForEachWeightThatCanBeSeen) {
  const std::string svg = render_heads_svg(
      example(), {.layer = "encoder.layer.0.self", .head = 1}, SvgTheme::kAuto);
  size_t lines = 0;
  for (size_t at = 0; (at = svg.find("stroke-opacity", at)) != svg.npos; ++at) {
    ++lines;
  }
  EXPECT_EQ(lines, 4u);  // a head that looks at itself
}

TEST(FoveaLines, PutBracketsAroundTheFocusWithoutColours) {
  const std::string text =
      render_view_terminal(example(), View::kFovea, {}, {});
  EXPECT_NE(text.find("\"y\"  | [unbelievable] <b> </s>"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace fovea
