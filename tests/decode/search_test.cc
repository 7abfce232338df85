#include "fovea/decode/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "fovea/base/check.h"
#include "fovea/decode/force.h"
#include "fovea/decode/search_all.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using Sentences = std::vector<std::vector<int>>;

// A random model whose scores differ clearly from word to word.
class SearchTest : public ::testing::Test {
 protected:
  explicit SearchTest(int vocabulary = kTinyVocabulary)
      : model_(config(vocabulary), RandomKey(5)) {
    const Params params(model_);
    randomise(params, 11, 0.4f);
    params.prepare(Precision::kFloat32);
  }

  static ModelConfig config(int vocabulary) {
    ModelConfig c = tiny_models().front().config;
    c.vocabulary.source = c.vocabulary.target = vocabulary;
    return c;
  }

  static Sentences sentences(uint64_t seed, int count) {
    const Batch batch = tiny_batch(seed, count);
    Sentences all;
    for (int b = 0; b < batch.size(); ++b) {
      const Batch one = only(batch, b);
      all.emplace_back(one.source.ids.begin(), one.source.ids.end() - 1);
    }
    return all;
  }

  std::vector<std::vector<Hypothesis>> find(const Sentences& texts,
                                            const SearchConfig& config) const {
    return search(models_, sources_of(texts), config);
  }

  double forced_score(const std::vector<int>& source,
                      const std::vector<int>& target) const {
    const Sentences sources{source}, targets{target};
    return force(models_, sources_of(sources), targets, {})
        .front()
        .log_probability;
  }

  Seq2Seq model_;
  const std::vector<const Seq2Seq*> models_{&model_};
};

// Three symbols besides the marks, so that all translations can be tried.
class SmallSearchTest : public SearchTest {
 protected:
  SmallSearchTest() : SearchTest(5) {}
};

// Four steps, the last of which is the end.
TEST_F(SmallSearchTest, AWideBeamFindsWhatEnumerationFinds) {
  constexpr int kLongest = 3, kWide = 5 * 5 * 5;
  for (std::vector<int>& text : Sentences(sentences(24, 5))) {
    for (int& id : text) id = id % 3 + 2;
    Sentences all{{}};
    for (size_t i = 0; i < all.size(); ++i) {
      if (static_cast<int>(all[i].size()) >= kLongest) continue;
      for (int w : {0, 3, 4}) {
        std::vector<int> longer = all[i];
        longer.push_back(w);
        all.push_back(std::move(longer));
      }
    }
    ASSERT_EQ(all.size(), 40u);
    for (const float penalty : {0.0f, 0.6f}) {
      const SearchConfig config{.beam_size = kWide,
                                .n_best = static_cast<int>(all.size()),
                                .length_penalty = penalty,
                                .patience = 0,
                                .min_length = 0,
                                .max_length = kLongest,
                                .banned = {model_.begin()}};
      const Sentences same(all.size(), text);
      std::vector<Hypothesis> right =
          force(models_, sources_of(same), all, config);
      std::ranges::stable_sort(right, std::greater<>(), &Hypothesis::score);
      const auto found = find({text}, config)[0];
      ASSERT_EQ(found.size(), right.size());
      for (size_t i = 0; i < right.size(); ++i) {
        EXPECT_EQ(found[i].ids, right[i].ids) << i << " " << penalty;
        EXPECT_EQ(found[i].score, right[i].score);
      }
    }
  }
}

TEST_F(SearchTest, ATranslationOfJustTheLongestLengthHasAnEnd) {
  const Sentences texts = sentences(36, 40);
  std::vector<SearchSource> sources = sources_of(texts);
  const std::vector<int> few{model_.end(), 3, 4, 7};
  for (SearchSource& source : sources) source.shortlist = few;
  const auto find_one = [&](size_t i, int beam, int longest) {
    return search(models_, {&sources[i], 1},
                  {.beam_size = beam, .max_length = longest})[0][0];
  };
  int seen = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const Hypothesis h = find_one(i, 1, 30);
    if (!h.finished || h.ids.empty()) continue;
    ++seen;
    const auto length = static_cast<int>(h.ids.size());
    const Hypothesis just = find_one(i, 1, length);
    EXPECT_EQ(just.ids, h.ids);
    EXPECT_TRUE(just.finished);
    EXPECT_EQ(just.score, h.score);
    if (length > 1) {
      const Hypothesis cut = find_one(i, 1, length - 1);
      EXPECT_FALSE(cut.finished);
      EXPECT_EQ(cut.ids.size(), h.ids.size() - 1);
    }
    for (const int beam : {2, 4}) {
      const Hypothesis best = find_one(i, beam, length);
      EXPECT_LE(best.ids.size(), h.ids.size());
      if (!best.finished) continue;
      const Sentences target{best.ids};
      EXPECT_EQ(best.score,
                force(models_, {&sources[i], 1}, target, {})[0].score);
    }
  }
  EXPECT_GT(seen, 4);
}

TEST_F(SearchTest, GivesTheBestFirst) {
  for (const auto& some :
       find(sentences(30, 8), {.beam_size = 6, .n_best = 6, .max_length = 8})) {
    std::set<std::vector<int>> different;
    for (size_t i = 0; i < some.size(); ++i) {
      different.insert(some[i].ids);
      EXPECT_GE(some[std::max<size_t>(i, 1) - 1].score, some[i].score);
    }
    EXPECT_EQ(different.size(), some.size());
  }
}

TEST_F(SearchTest, PatienceCanOnlyImproveTheScore) {
  const Sentences texts = sentences(31, 12);
  const auto hasty = find(texts, {.beam_size = 4, .max_length = 12});
  const auto patient =
      find(texts, {.beam_size = 4, .patience = 0, .max_length = 12});
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_GE(patient[i][0].score, hasty[i][0].score);
  }
}

TEST_F(SearchTest, AThresholdDropsWhatIsUnlikely) {
  const Sentences texts = sentences(31, 12);
  const SearchConfig config{.beam_size = 4, .n_best = 4, .max_length = 12};
  const auto found_with = [&](float threshold) {
    SearchConfig c = config;
    c.beam_threshold = threshold;
    return find(texts, c);
  };
  const auto all = find(texts, config), generous = found_with(1000),
             some = found_with(0.5f), one = found_with(1e-6f);
  const auto greedy = find(texts, {.beam_size = 1, .max_length = 12});
  size_t found = 0, kept = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(generous[i].size(), all[i].size());
    for (size_t j = 0; j < all[i].size(); ++j) {
      EXPECT_EQ(generous[i][j].ids, all[i][j].ids);
      EXPECT_EQ(generous[i][j].score, all[i][j].score);
    }
    ASSERT_EQ(one[i].size(), 1u);
    EXPECT_EQ(one[i][0].ids, greedy[i][0].ids);
    EXPECT_EQ(one[i][0].finished, greedy[i][0].finished);
    found += all[i].size();
    kept += some[i].size();
  }
  EXPECT_LT(kept, found);
  EXPECT_GT(kept, texts.size());
}

TEST_F(SearchTest, KeepsToTheLengthsAskedFor) {
  for (const auto& some :
       find(sentences(25, 8),
            {.beam_size = 2, .n_best = 2, .min_length = 3, .max_length = 4})) {
    ASSERT_FALSE(some.empty());
    for (const Hypothesis& h : some) {
      EXPECT_GE(h.ids.size(), 3u);
      EXPECT_LE(h.ids.size(), 4u);
    }
  }
}

// However likely the end is, unless it is asked for.
TEST_F(SearchTest, SaysSomething) {
  ModelConfig eager = config(kTinyVocabulary);
  eager.output_bias = true;
  Seq2Seq model(eager, RandomKey(5));
  const Params params(model);
  randomise(params, 11, 0.4f);
  for (const Params::Parameter& p : params.parameters()) {
    if (p.name == "output.bias") p.value->value().span()[model.end()] = 50;
  }
  params.prepare(Precision::kFloat32);
  const Seq2Seq* const models[] = {&model};
  const Sentences texts = sentences(25, 6);
  for (const bool sample : {false, true}) {
    for (const int beam : {1, 3}) {
      SearchConfig some{.beam_size = beam, .sample = sample};
      for (const auto& found : search(models, sources_of(texts), some)) {
        ASSERT_EQ(found.front().ids.size(), 1u);
        some.blank.push_back(found.front().ids.front());
      }
      std::ranges::sort(some.blank);
      for (const auto& found : search(models, sources_of(texts), some)) {
        const auto is_blank = [&](int word) {
          return std::ranges::binary_search(some.blank, word);
        };
        EXPECT_FALSE(found.front().finished &&
                     std::ranges::all_of(found.front().ids, is_blank));
      }
      some.min_length = 0;
      for (const auto& found : search(models, sources_of(texts), some)) {
        EXPECT_TRUE(found.front().ids.empty());
      }
    }
  }
}

TEST_F(SearchTest, BeginsWithThePrefix) {
  const Sentences texts = sentences(27, 4);
  std::vector<SearchSource> sources = sources_of(texts);
  const std::vector<int> prefix{7, 3, 7};
  sources[1].prefix = prefix;
  for (const bool sample : {false, true}) {
    const SearchConfig config{
        .beam_size = 3, .n_best = 2, .max_length = 8, .sample = sample};
    const auto found = search(models_, sources, config);
    for (const Hypothesis& h : found[1]) {
      ASSERT_GE(h.ids.size(), prefix.size());
      EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), h.ids.begin()));
      if (h.finished) {
        EXPECT_NEAR(h.log_probability, forced_score(texts[1], h.ids), 1e-4);
      }
    }
    EXPECT_EQ(found[0][0].ids,
              search(models_, sources_of(texts), config)[0][0].ids);
  }
}

TEST_F(SearchTest, NeverChoosesABannedWord) {
  const Sentences texts = sentences(28, 6);
  const auto before = find(texts, {.max_length = 8});
  for (size_t i = 0; i < texts.size(); ++i) {
    if (before[i][0].ids.empty()) continue;
    const int word = before[i][0].ids.front();
    const auto after = find({texts[i]}, {.max_length = 8, .banned = {word}});
    EXPECT_EQ(std::ranges::count(after[0][0].ids, word), 0);
  }
}

TEST_F(SearchTest, RepeatsNoRun) {
  const auto found = find(sentences(29, 10), {.beam_size = 2,
                                              .min_length = 12,
                                              .max_length = 20,
                                              .no_repeat_ngram = 2});
  for (const auto& some : found) {
    const std::vector<int>& ids = some[0].ids;
    std::set<std::pair<int, int>> runs;
    for (size_t i = 1; i < ids.size(); ++i) {
      EXPECT_TRUE(runs.insert({ids[i - 1], ids[i]}).second);
    }
  }
}

// Every word may come once only, so that a long translation runs out of them.
TEST_F(SearchTest, EndsWhereNothingElseIsLeft) {
  const Sentences texts = sentences(33, 2);
  std::vector<SearchSource> sources = sources_of(texts);
  const std::vector<int> few{model_.end(), 3, 4};
  for (SearchSource& source : sources) source.shortlist = few;
  for (const bool sample : {false, true}) {
    const auto found = search(models_, sources,
                              {.beam_size = 2,
                               .min_length = 9,
                               .max_length = 12,
                               .no_repeat_ngram = 1,
                               .sample = sample});
    for (const auto& some : found) {
      ASSERT_EQ(some.size(), 1u);
      EXPECT_EQ(some[0].ids.size(), 2u);
      EXPECT_TRUE(some[0].finished);
    }
  }
}

TEST_F(SearchTest, DrawsByTheSeedAndTheNumberOfTheSentence) {
  const Sentences same(40, sentences(32, 1).front());
  SearchConfig config{.max_length = 8, .sample = true};
  const auto first = find(same, config);
  const auto again = find(same, config);
  config.seed = 2;
  const auto other = find(same, config);
  std::set<std::vector<int>> drawn;
  int differ = 0;
  for (size_t i = 0; i < same.size(); ++i) {
    EXPECT_EQ(first[i][0].ids, again[i][0].ids);
    differ += first[i][0].ids != other[i][0].ids;
    drawn.insert(first[i][0].ids);
  }
  EXPECT_GT(differ, 20);
  EXPECT_GT(drawn.size(), 20u);
}

TEST_F(SearchTest, NamesWhatMakesNoSense) {
  const Sentences texts = sentences(26, 1);
  EXPECT_THROW(find(texts, {.beam_size = 0}), Error);
  EXPECT_THROW(find(texts, {.beam_size = 2, .n_best = 3}), Error);
  EXPECT_THROW(find(texts, {.beam_threshold = -1}), Error);
  EXPECT_THROW(find(texts, {.min_length = 5, .max_length = 4}), Error);
  EXPECT_THROW(find(texts, {.temperature = 0}), Error);
  EXPECT_THROW(find(texts, {.top_p = 0}), Error);
}

}  // namespace
}  // namespace fovea
