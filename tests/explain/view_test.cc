#include "fovea/explain/view.h"

#include <gtest/gtest.h>

#include <sstream>

#include "explain/explained_example.h"
#include "fovea/base/check.h"
#include "fovea/explain/render_pictures.h"
#include "fovea/explain/render_view.h"
#include "support/compare.h"

namespace fovea {
namespace {

using namespace fovea::testing;

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

// SPEC E1: averaging over layers.
TEST(View, AlignmentCanBeTheMeanOfLayers) {
  Explanation e = example();
  ExplainedLayer above = e.layers[1];
  above.name = "decoder.layer.1.cross";
  above.weights = {Tensor::zeros({3, 4})};
  e.layers.push_back(above);
  const Heatmap mean = source_map(e, {.layer = "mean", .words = false});
  EXPECT_TRUE(close(mean.values,
                    std::vector<float>{.05f, .1f, .15f, .2f, .25f, .05f, .1f,
                                       .1f, 0, 0, 0, .5f},
                    1e-6));
  EXPECT_EQ(mean.note, "made up, mean of 2 layers");
  EXPECT_EQ(e.layers[1].weights[0][0], .1f);  // the explanation is as it was
  EXPECT_EQ(view_maps(e, View::kSteps, {.layer = "mean"})[0][0].values,
            mean.values);
}

// SPEC E1: order.
TEST(View, AlignmentCanHaveItsColumnsAsTheyAreLookedAt) {
  Explanation e = example();
  e.layers[1].weights = {Tensor::from(
      {3, 4}, std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, .5f, 0, 0, .5f})};
  const Heatmap map = source_map(e, {.words = false, .order = Order::kLooked});
  EXPECT_EQ(map.columns,
            (std::vector<std::string>{"<b>", "believable", "un", "</s>"}));
  EXPECT_EQ(map.values,
            (std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, .5f, .5f}));
  EXPECT_EQ(map.marked, (std::vector<int>{0, 1, 2}));
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

// SPEC E6 also holds where there are more dimensions than are shown. What is
// left out has colours of its own: beside it single products would be black.
TEST(View, ProductsOfTheNeuronViewAreFollowedByTheSumOfTheRest) {
  Explanation e = example();
  e.layers[0].visible[1 * 4 + 3] = false;  // of the second query
  const MapGroups groups =
      view_maps(e, View::kNeuron, {.token = 1, .dimensions = 1});
  ASSERT_EQ(groups.size(), 5u);
  const Heatmap &products = groups[1][0], &rest = groups[2][0],
                &scores = groups[3][0];
  EXPECT_EQ(products.columns, std::vector<std::string>{"0"});
  EXPECT_EQ(rest.columns, std::vector<std::string>{"rest"});
  EXPECT_EQ(groups[0][1].columns.size(), 1u);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(scores.at(0, k), 0.5f * (products.at(k, 0) + rest.at(k, 0)),
                1e-5);
  }
  EXPECT_FALSE(rest.is_shown(3, 0));
}

TEST(View, NeuronHidesKeysThatTheQueryDoesNotSee) {
  Explanation e = example();
  e.layers[0].visible[1 * 4 + 3] = false;  // of the second query
  const MapGroups groups = view_maps(e, View::kNeuron, {.token = 1});
  const std::vector<bool> seen = {true, true, true, false};
  EXPECT_EQ(groups[2][0].shown, seen);  // scores
  EXPECT_EQ(groups[3][0].shown, seen);  // weights
  EXPECT_FALSE(groups[1][0].is_shown(3, 0));
  EXPECT_TRUE(view_maps(e, View::kNeuron, {.token = 0})[2][0].shown.empty());
}

TEST(View, CompositionEndsWithWeightedValues) {
  const MapGroups groups =
      view_maps(example(), View::kComposition, {.head = 1});
  const Heatmap& result = groups[3][0];
  EXPECT_EQ(result.title, "6. Weighted values");
  EXPECT_TRUE(
      close(result.values, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, 1e-6));
}

// SPEC E16: pairs of words, and what the next layer makes of them.
TEST(View, CompositionHasPairsAndTheNextLayer) {
  Explanation e = example();
  e.embedding_states = e.layers[0].vectors->query[0];
  ExplainedLayer next = e.layers[0];
  next.name = "encoder.layer.1.self";
  e.layers.insert(e.layers.begin() + 1, next);
  const MapGroups groups = view_maps(e, View::kComposition, {});
  EXPECT_EQ(groups[0][0].title, "Embeddings");
  const Heatmap& pairs = groups[5][0];
  EXPECT_EQ(pairs.title, "7. Pairs");
  EXPECT_TRUE(pairs.is_shown(0, 1));
  EXPECT_FALSE(pairs.is_shown(1, 0));
  EXPECT_NEAR(pairs.at(0, 1), 0.5f * (1 * 3 + 2 * 4), 1e-5);
  const Heatmap& composite = groups[6][0];
  EXPECT_EQ(composite.title, "8. After the next layer");
  for (size_t r = 0; r < 4; ++r) EXPECT_NEAR(row_sum(composite, r), 1, 1e-5);
}

TEST(View, GatesSayHowManyAreOpenAndWhatWeightTheirTokensHave) {
  const MapGroups groups = view_maps(example(), View::kGates, {});
  EXPECT_NE(groups[0][0].note.find("2 of 4 open"), std::string::npos);
  EXPECT_EQ(groups[0][0].rows,
            (std::vector<std::string>{"probability", "open", "mean weight"}));
  EXPECT_EQ(groups[0][0].at(2, 1), .25f);
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
  const MapGroups groups = contrast_maps(a, b);
  const Heatmap& difference = groups[1][0];
  EXPECT_EQ(difference.columns,
            (std::vector<std::string>{"he/she", "works", "</s>"}));
  EXPECT_TRUE(close(difference.values,
                    std::vector<float>{-0.75f, 0.5f, 0.25f, 0, 0, 0}, 1e-6));
  EXPECT_NE(difference.caution.find("no proof"), std::string::npos);
  b.source.text = "she worked";
  EXPECT_THROW(contrast_maps(a, b), Error);
}

// SPEC E4: where "it" looks when the animal is tired, or the street wide.
TEST(View, ContrastShowsWhatAnotherWordGives) {
  Explanation a = example(), b = example();
  a.source.text = "it (was) tired", b.source.text = "it (was) wide";
  a.source.words = b.source.words = {0, 1, 2, -1};
  b.layers[0].weights[0] = b.layers[0].weights[1];
  const MapGroups groups = contrast_maps(a, b, {.from_word = "was"});
  EXPECT_EQ(groups[0][0].title, "From '(was)' with 'tired'");
  EXPECT_EQ(groups[0][1].title, "From '(was)' with 'wide'");
  const Heatmap& difference = groups[1][0];
  EXPECT_EQ(difference.title, "From '(was)': 'tired' less 'wide'");
  EXPECT_EQ(difference.columns,
            (std::vector<std::string>{"it", "(was)", "tired/wide", "</s>"}));
  EXPECT_TRUE(close(difference.values,
                    std::vector<float>{0.25f, -0.75f, 0.25f, 0.25f, 0, 0, 0, 0},
                    1e-6));
  for (const Heatmap& map : groups[0]) EXPECT_NEAR(row_sum(map, 0), 1, 1e-6);
  EXPECT_EQ(maps_csv(contrast_maps(a, b, {.from_word = "1"})),
            maps_csv(groups));
  const MapGroups head = contrast_maps(a, b, {.head = 1, .from_word = "was"});
  EXPECT_EQ(head[0][0].rows, (std::vector<std::string>{"head 1"}));
  EXPECT_THROW(contrast_maps(a, b, {.from_word = "street"}), Error);
  a.source.text = "it it tired", b.source.text = "it it wide";
  EXPECT_THROW(contrast_maps(a, b, {.from_word = "it"}), Error);
}

// What was tested is a layer and heads; a map of others must not claim it.
TEST(View, OnlyMapsOfTestedWeightsSayThatTheyWereTested) {
  Explanation e = example();
  e.faithfulness.emplace();
  e.faithfulness->layer = "encoder.layer.0.self";
  const auto tested = [&](View view, const ViewOptions& options) {
    const bool text = render_view_terminal(e, view, options, {.width = 1000})
                          .find("Tested on 0 texts") != std::string::npos;
    const bool picture =
        render_view_svg(e, view, options, {}).find("Tested on") !=
        std::string::npos;
    EXPECT_EQ(text, picture) << FieldText<View>::print(view);
    return text;
  };
  const std::string self = "encoder.layer.0.self";
  EXPECT_TRUE(tested(View::kAlignment, {.layer = self}));
  EXPECT_FALSE(tested(View::kAlignment, {.layer = self, .head = 1}));
  EXPECT_FALSE(tested(View::kAlignment, {}));
  EXPECT_FALSE(tested(View::kHeads, {.layer = self}));
  EXPECT_FALSE(tested(View::kNeuron, {}));
  EXPECT_FALSE(tested(View::kRollout, {}));
  EXPECT_FALSE(tested(View::kModel, {}));
  EXPECT_FALSE(tested(View::kComposition, {}));
  e.faithfulness->head = 1;
  EXPECT_TRUE(tested(View::kHeads, {.layer = self, .head = 1}));
  EXPECT_FALSE(tested(View::kHeads, {.layer = self, .head = 0}));
  EXPECT_FALSE(tested(View::kHeads, {.layer = self}));
  EXPECT_TRUE(tested(View::kNeuron, {.head = 1}));
  // Of a layer with one head that is the mean, too.
  e.faithfulness->layer = "decoder.layer.0.cross";
  e.faithfulness->head = -1;
  EXPECT_TRUE(tested(View::kFovea, {}));
  EXPECT_TRUE(tested(View::kSteps, {.head = 0}));
  EXPECT_TRUE(tested(View::kHeads, {}));
  const std::string other = view_maps(e, View::kRollout, {})[0][0].caution;
  EXPECT_NE(other.find("These weights were not tested; those of "
                       "decoder.layer.0.cross"),
            std::string::npos)
      << other;
}

TEST(View, AQueryCanBeShownAlone) {
  const Explanation e = example();
  const auto rows = [&](View view, int group = 0) {
    return view_maps(e, view, {.token = 1})[group][0].rows;
  };
  using Rows = std::vector<std::string>;
  EXPECT_EQ(rows(View::kAlignment), Rows{"\"y\""});
  EXPECT_EQ(rows(View::kFovea), Rows{"\"y\""});
  EXPECT_EQ(rows(View::kHeads), Rows{"\"y\""});
  EXPECT_EQ(rows(View::kSteps), Rows{"2. \"y\" 25%"});
  EXPECT_EQ(rows(View::kRollout), Rows{"believable"});
  EXPECT_EQ(rows(View::kComposition, 1), Rows{"believable"});
  const Heatmap map = view_maps(e, View::kHeads, {.token = 1})[0][0];
  EXPECT_TRUE(close(map.values, std::vector<float>{.5f, .1f, .2f, .2f}, 0));
  EXPECT_EQ(map.marked, std::vector<int>{0});
}

TEST(View, RefusesOptionsThatItHasNoUseFor) {
  const auto refused = [](View view, const ViewOptions& options) {
    try {
      check_view_options(view, options);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kUsage;
    }
    return false;
  };
  EXPECT_TRUE(refused(View::kModel, {.token = 0}));
  EXPECT_TRUE(refused(View::kStatistics, {.layer = "x"}));
  EXPECT_TRUE(refused(View::kHeads, {.marks = Marks::kHide}));
  EXPECT_TRUE(refused(View::kAlignment, {.to_sentence = 0}));
  EXPECT_TRUE(refused(View::kFovea, {.order = Order::kLooked}));
  EXPECT_TRUE(refused(View::kSteps, {.dimensions = 3}));
  EXPECT_TRUE(refused(View::kNeuron, {.dimensions = 0}));
  EXPECT_TRUE(refused(View::kHeads, {.head = -5}));
  EXPECT_TRUE(refused(View::kHeads, {.token = -7}));
  EXPECT_TRUE(refused(View::kHeads, {.from_sentence = -9}));
  EXPECT_FALSE(refused(View::kHeads, {.layer = "x", .head = 1, .token = 2}));
}

TEST(View, StepsAreOfWordsThatAreWritten) {
  EXPECT_THROW(
      view_maps(example(), View::kSteps, {.layer = "encoder.layer.0.self"}),
      Error);
}

TEST(View, RolloutSaysThatTheFlowIsLeftOut) {
  Explanation e = example();
  e.rollouts[0].note = "flow is left out: 65 tokens, and it takes 64 at most";
  EXPECT_NE(
      view_maps(e, View::kRollout, {})[0][0].note.find("flow is left out"),
      std::string::npos);
  EXPECT_EQ(view_maps(e, View::kRollout, {})[0][0].range,
            ValueRange::kFromZero);
}

TEST(View, StatisticsTellHowFarHeadsAreApartAndWhatWordsGet) {
  const Explanation e = example();
  const MapGroups groups = view_maps(e, View::kStatistics, {});
  const size_t first = std::size(kHeadStatistics);
  ASSERT_EQ(groups.size(), first + 2);
  const Heatmap& distance = groups[first][0];
  EXPECT_EQ(distance.title, "Distance of heads, encoder.layer.0.self");
  EXPECT_EQ(distance.at(0, 0), 0);
  EXPECT_NEAR(distance.at(0, 1),
              head_distance(e.layers[0].weights[0], e.layers[0].weights[1]),
              1e-6);
  const Heatmap& coverage = groups[first + 1][0];
  EXPECT_EQ(coverage.rows, (std::vector<std::string>{"encoder.layer.0.self",
                                                     "decoder.layer.0.cross"}));
  EXPECT_EQ(coverage.columns,
            (std::vector<std::string>{"unbelievable", "<b>", "</s>"}));
  EXPECT_TRUE(close(coverage.values,
                    std::vector<float>{2, 1, 1, .9f, .5f, 1.6f}, 1e-6));
  const std::string text = render_view_terminal(e, View::kStatistics, {}, {});
  EXPECT_NE(text.find("Distance of heads"), std::string::npos);
  EXPECT_NE(text.find("Coverage"), std::string::npos);
}

}  // namespace
}  // namespace fovea
