#include "fovea/decode/search_watch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "fovea/decode/prepared_text.h"
#include "fovea/decode/translator.h"
#include "support/temp_folder.h"
#include "support/translator_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// Notes all that it is told.
class Notes : public SearchWatch {
 public:
  bool stops(int sentence) override {
    return stopped.contains(sentence) && ++asked[sentence] >= 2;
  }
  bool follows(int sentence) override { return sentence != ignored; }
  void step(int sentence, const SearchStep& step) override {
    steps[sentence].push_back(step.best);
    certain = certain && step.certain;
    choices[sentence].push_back(step.choices);
  }
  void finished(int sentence, const std::vector<Hypothesis>& found) override {
    order.push_back(sentence);
    results[sentence] = found;
  }

  std::set<int> stopped;
  int ignored = -1;
  bool certain = true;
  std::map<int, int> asked;
  std::map<int, std::vector<Hypothesis>> steps, results;
  std::map<int, std::vector<std::vector<SearchStep::Choice>>> choices;
  std::vector<int> order;
};

class SearchWatchTest : public ::testing::Test {
 protected:
  SearchWatchTest()
      : translator_(Translator::load({write_model_folder(folder_.file("m"))})) {
    for (const char* text : {"the cat sees two birds !", "a", "my dog"}) {
      texts_.push_back(translator_.prepare({.text = text}, options_));
    }
    for (const PreparedText& text : texts_) sources_.push_back(text.source(0));
    options_.all.search.max_length = 12;
    options_.all.search.want_weights = true;
  }

  std::vector<std::vector<Hypothesis>> search(int beam, SearchWatch* watch) {
    options_.all.search.beam_size = beam;
    return translator_.search(sources_, options_, watch);
  }

  static std::vector<std::vector<int>> ids(
      const std::vector<std::vector<Hypothesis>>& found) {
    std::vector<std::vector<int>> all;
    for (const auto& some : found) all.push_back(some.at(0).ids);
    return all;
  }

  const TempFolder folder_;
  const Translator translator_;
  TranslateOptions options_;
  std::vector<PreparedText> texts_;
  std::vector<SearchSource> sources_;
};

TEST_F(SearchWatchTest, ChangesNothing) {
  for (int beam : {1, 4}) {
    Notes notes;
    EXPECT_EQ(ids(search(beam, &notes)), ids(search(beam, nullptr)));
    EXPECT_EQ(notes.order.size(), 3u);
  }
}

// Batches of one and of two sentences.
TEST_F(SearchWatchTest, KnowsSentencesByTheirNumbersInAllBatches) {
  Notes whole;
  const auto found = search(2, &whole);
  for (int size : {2, 4}) {
    options_.all.batch_size = size;
    Notes notes;
    EXPECT_EQ(ids(search(2, &notes)), ids(found));
    for (int s = 0; s < 3; ++s) {
      EXPECT_EQ(ids({notes.results[s]}), ids({found[s]}));
      EXPECT_EQ(notes.steps[s].size(), whole.steps[s].size());
    }
    notes = {};
    notes.stopped = {1};
    EXPECT_TRUE(search(2, &notes)[1].empty());
    EXPECT_EQ(notes.results.count(1), 0u);
    EXPECT_EQ(notes.results.size(), 2u);
  }
}

TEST_F(SearchWatchTest, IsToldWordByWordWhatAGreedySearchFinds) {
  Notes notes;
  const auto found = search(1, &notes);
  EXPECT_TRUE(notes.certain);
  for (int s = 0; s < 3; ++s) {
    const Hypothesis& best = found[s][0];
    ASSERT_EQ(notes.steps[s].size(), best.log_probabilities.size());
    EXPECT_EQ(notes.steps[s].back().ids, best.ids);
    EXPECT_EQ(notes.steps[s].back().weights, best.weights);
    for (size_t i = 0; i < best.ids.size(); ++i) {
      EXPECT_EQ(notes.steps[s][i].ids.back(), best.ids[i]);
      const auto& choices = notes.choices[s][i];
      ASSERT_FALSE(choices.empty());
      EXPECT_EQ(choices[0].word, best.ids[i]);
      EXPECT_NEAR(std::log(choices[0].probability), best.log_probabilities[i],
                  1e-4);
      for (size_t j = 1; j < choices.size(); ++j) {
        EXPECT_LE(choices[j].probability, choices[j - 1].probability);
      }
    }
  }
}

TEST_F(SearchWatchTest, IsNotCertainWhileBeamsCompete) {
  Notes notes;
  search(4, &notes);
  EXPECT_FALSE(notes.certain);
  EXPECT_TRUE(notes.choices[0].front().empty());
}

TEST_F(SearchWatchTest, HearsNothingOfWhatItDoesNotFollow) {
  Notes notes;
  notes.ignored = 1;
  search(1, &notes);
  EXPECT_EQ(notes.steps.count(1), 0u);
  EXPECT_EQ(notes.steps.count(0), 1u);
}

TEST_F(SearchWatchTest, StopsASentenceAndLeavesTheOthers) {
  const auto right = ids(search(4, nullptr));
  Notes notes;
  notes.stopped = {0};
  const auto found = search(4, &notes);
  EXPECT_TRUE(found[0].empty());
  EXPECT_EQ(notes.asked[0], 2);
  EXPECT_EQ(found[1][0].ids, right[1]);
  EXPECT_EQ(found[2][0].ids, right[2]);
  EXPECT_EQ(notes.results.count(0), 0u);
}

TEST_F(SearchWatchTest, StopsAll) {
  Notes notes;
  notes.stopped = {0, 1, 2};
  for (const auto& some : search(4, &notes)) EXPECT_TRUE(some.empty());
}

}  // namespace
}  // namespace fovea
