#include "fovea/decode/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"
#include "fovea/decode/greedy.h"
#include "fovea/decode/search_all.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;

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

  // Log-probability of a translation and, if it is finished, its end.
  double forced_score(const Batch& sentence, const Hypothesis& h) const {
    const NoGrad none;
    std::vector<int> gold = h.ids;
    gold.push_back(model_.end());
    const int length = static_cast<int>(gold.size());
    const Ids target{gold, Segments::from_lengths({&length, 1})};
    const Encoded source = model_.encode(sentence.source, Pass{});
    const Tensor log_p =
        log_softmax(
            model_.readout(model_.forced(source, target, Pass{}).hidden))
            .value();
    double sum = 0;
    for (size_t i = 0; i < h.ids.size() + h.finished; ++i) {
      sum += log_p[static_cast<int64_t>(i) * log_p.cols() + gold[i]];
    }
    return sum;
  }

  std::vector<std::vector<Hypothesis>> find(const Ids& source,
                                            const SearchConfig& config) const {
    std::vector<std::vector<int>> sentences;
    for (int b = 0; b < source.of.count(); ++b) {
      sentences.emplace_back(source.ids.begin() + source.of.begin(b),
                             source.ids.begin() + source.of.end(b) - 1);
    }
    return search(models_, sources_of(sentences), config);
  }

  Seq2Seq model_;
  const std::vector<const Seq2Seq*> models_{&model_};
};

// Three symbols besides the marks, so that all translations can be tried.
class SmallSearchTest : public SearchTest {
 protected:
  SmallSearchTest() : SearchTest(5) {}
};

TEST(LengthNormalised, HasThePublishedValues) {
  EXPECT_NEAR(length_normalised(-1, 1, 0.6f), -1, 1e-6);
  EXPECT_NEAR(length_normalised(-1, 10, 0.6f), -1 / 1.732862, 1e-6);
  EXPECT_NEAR(length_normalised(-1, 20, 0.6f), -1 / 2.354362, 1e-6);
}

TEST_F(SearchTest, ABeamOfOneIsGreedy) {
  const Batch batch = tiny_batch(21, 12);
  const auto greedy = greedy_search(model_, batch.source, {.most = 9});
  const auto beam = find(batch.source, {.beam_size = 1, .max_length = 9});
  for (size_t i = 0; i < greedy.size(); ++i) {
    ASSERT_EQ(beam[i].size(), 1u);
    EXPECT_EQ(beam[i][0].ids, greedy[i].ids) << i;
    EXPECT_EQ(beam[i][0].finished, greedy[i].finished) << i;
    EXPECT_NEAR(beam[i][0].log_probability, greedy[i].log_probability, 1e-4);
  }
}

TEST_F(SearchTest, StoredScoresAreThoseOfForcedDecoding) {
  const Batch batch = tiny_batch(22, 6);
  const auto found =
      find(batch.source, {.beam_size = 4, .n_best = 4, .max_length = 8});
  for (int b = 0; b < batch.size(); ++b) {
    for (const Hypothesis& h : found[b]) {
      EXPECT_NEAR(h.log_probability, forced_score(only(batch, b), h), 1e-4);
    }
  }
}

TEST_F(SearchTest, ASentenceIsTranslatedAlikeInAnyCompanyAndOnAnyThreads) {
  std::vector<std::vector<int>> sentences;
  const Batch batch = tiny_batch(23, 20);
  for (int b = 0; b < batch.size(); ++b) {
    const Batch one = only(batch, b);
    sentences.emplace_back(one.source.ids.begin(), one.source.ids.end() - 1);
  }
  sentences.insert(sentences.begin() + 3, std::vector<int>{});
  SearchAllConfig config{
      .search = {.beam_size = 3, .n_best = 3, .max_length = 10},
      .batch_size = 1};
  const auto alone = search_all(models_, sources_of(sentences), config);
  with_threads({1, 2, 4}, [&](int) {
    for (int size : {2, 7, 64}) {
      config.batch_size = size;
      const auto together = search_all(models_, sources_of(sentences), config);
      for (size_t i = 0; i < sentences.size(); ++i) {
        ASSERT_EQ(together[i].size(), alone[i].size());
        for (size_t j = 0; j < alone[i].size(); ++j) {
          EXPECT_EQ(together[i][j].ids, alone[i][j].ids);
          EXPECT_EQ(together[i][j].score, alone[i][j].score);
        }
      }
    }
  });
  EXPECT_TRUE(alone[3][0].ids.empty());
}

TEST_F(SmallSearchTest, AWideBeamFindsWhatEnumerationFinds) {
  constexpr int kLongest = 3;
  const Batch batch = tiny_batch(24, 5);
  for (int b = 0; b < batch.size(); ++b) {
    Batch one = only(batch, b);
    for (int& id : one.source.ids) id = id % 3 + 2;
    const auto found = beam_search(model_, one.source,
                                   {.beam_size = 125,
                                    .length_penalty = 0,
                                    .patience = 0,
                                    .max_length = kLongest});
    // All sequences of up to three words, ended; and those cut off.
    std::vector<std::vector<int>> all{{}};
    double best = -1e9;
    for (size_t i = 0; i < all.size(); ++i) {
      const std::vector<int> ids = all[i];
      if (static_cast<int>(ids.size()) < kLongest) {
        best =
            std::max(best, forced_score(one, {.ids = ids, .finished = true}));
        for (int w = 0; w < 5; ++w) {
          if (w == model_.end()) continue;
          all.push_back(ids);
          all.back().push_back(w);
        }
      }
    }
    ASSERT_FALSE(found[0].empty());
    EXPECT_NEAR(found[0][0].log_probability, best, 1e-4) << b;
  }
}

TEST_F(SearchTest, ItStopsAtTheLongestLength) {
  const Batch batch = tiny_batch(25, 8);
  for (const auto& some :
       find(batch.source, {.beam_size = 2, .n_best = 2, .max_length = 4})) {
    ASSERT_FALSE(some.empty());
    for (const Hypothesis& h : some) EXPECT_LE(h.ids.size(), 4u);
  }
}

TEST_F(SearchTest, RefusesABeamOfNone) {
  const Batch batch = tiny_batch(26, 1);
  EXPECT_THROW(find(batch.source, {.beam_size = 0}), Error);
}

}  // namespace
}  // namespace fovea
