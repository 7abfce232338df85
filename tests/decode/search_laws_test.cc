// Laws of search that hold for every model there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/data/batch.h"
#include "fovea/decode/force.h"
#include "fovea/decode/greedy.h"
#include "fovea/decode/search.h"
#include "fovea/decode/search_all.h"
#include "support/check_layer.h"
#include "support/chi_square.h"
#include "support/compare.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;

class SearchLaws : public ::testing::TestWithParam<TinyModel> {
 protected:
  SearchLaws() : model_(GetParam().config, RandomKey(5)), params_(model_) {
    randomise(params_, 11, 0.4f);
    params_.prepare(Precision::kFloat32);
  }

  static std::vector<std::vector<int>> sentences(uint64_t seed, int count) {
    const Batch batch = tiny_batch(seed, count);
    std::vector<std::vector<int>> all;
    for (int b = 0; b < batch.size(); ++b) {
      const Batch one = only(batch, b);
      all.emplace_back(one.source.ids.begin(), one.source.ids.end() - 1);
    }
    return all;
  }

  static void expect_forced(const Hypothesis& forced, const Hypothesis& h,
                            Precision precision);

  Seq2Seq model_;
  Params params_;
  const std::vector<const Seq2Seq*> models_{&model_};
};

// Another model of the kind.
struct Other {
  explicit Other(const TinyModel& kind)
      : model(kind.config, RandomKey(6)), params(model) {
    randomise(params, 12, 0.4f);
    params.prepare(Precision::kFloat32);
  }
  Seq2Seq model;
  Params params;
};

void expect_same(const Hypothesis& a, const Hypothesis& b) {
  EXPECT_EQ(a.ids, b.ids);
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.finished, b.finished);
  EXPECT_TRUE(same_bits(a.log_probabilities, b.log_probabilities));
  EXPECT_TRUE(same_bits(a.weights, b.weights));
}

// Bit for bit, except where a recurrent decoder attends by dot products: there
// the last bits differ, and in int8 a rounding may turn the other way.
void SearchLaws::expect_forced(const Hypothesis& forced, const Hypothesis& h,
                               Precision precision) {
  const std::string& name = GetParam().name;
  if (name != "luong" && name != "rnnsearch_multi_head") {
    return expect_same(forced, h);
  }
  const double most = precision == Precision::kInt8 ? 0.05 : 1e-4;
  EXPECT_EQ(forced.ids, h.ids);
  EXPECT_NEAR(forced.score, h.score, most);
  EXPECT_TRUE(close(std::span<const float>(h.log_probabilities),
                    std::span<const float>(forced.log_probabilities), most));
  EXPECT_TRUE(close(std::span<const float>(h.weights),
                    std::span<const float>(forced.weights), most));
}

TEST_P(SearchLaws, ABeamOfOneIsGreedy) {
  const auto texts = sentences(21, 12);
  const auto found =
      search(models_, sources_of(texts), {.beam_size = 1, .max_length = 9});
  const auto greedy =
      greedy_search(model_, with_end(texts, model_.end()), {.most = 9});
  for (size_t i = 0; i < greedy.size(); ++i) {
    ASSERT_EQ(found[i].size(), 1u);
    EXPECT_EQ(found[i][0].ids, greedy[i].ids) << i;
    EXPECT_EQ(found[i][0].finished, greedy[i].finished) << i;
    EXPECT_NEAR(found[i][0].log_probability, greedy[i].log_probability, 1e-4);
  }
}

// Contract 4: one model and two, with and without shortlists.
TEST_P(SearchLaws, ScoresAndWeightsAreThoseOfForcedDecoding) {
  const auto texts = sentences(22, 8);
  auto sources = sources_of(texts);
  const SearchConfig config{.beam_size = 4,
                            .n_best = 4,
                            .coverage_penalty = 0.2f,
                            .min_length = 0,
                            .max_length = 8,
                            .want_weights = true};
  const Other other(GetParam());
  const std::vector<int> few{model_.end(), 3, 4};
  const std::vector<const Seq2Seq*> both{&model_, &other.model};
  int compared = 0;
  for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
    params_.prepare(precision);
    other.params.prepare(precision);
    for (const bool shortlist : {false, true}) {
      for (SearchSource& source : sources) {
        source.shortlist = {};
        if (shortlist) source.shortlist = few;
      }
      for (const auto& models : {models_, both}) {
        const auto found = search(models, sources, config);
        for (size_t b = 0; b < texts.size(); ++b) {
          for (const Hypothesis& h : found[b]) {
            if (!h.finished) continue;
            const std::vector<std::vector<int>> target{h.ids};
            expect_forced(
                force(models, {&sources[b], 1}, target, config).front(), h,
                precision);
            ++compared;
            if (GetParam().config.predict.kind == "bottleneck") continue;
            EXPECT_EQ(h.weights.size(),
                      (h.ids.size() + 1) * (texts[b].size() + 1));
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 0);
}

TEST_P(SearchLaws, TwoModelsVoteByTheMeanOfTheirProbabilities) {
  const auto texts = sentences(29, 6);
  const auto sources = sources_of(texts);
  const Other other(GetParam());
  const std::vector<const Seq2Seq*> both{&model_, &other.model},
      second{&other.model};
  const SearchConfig config{.beam_size = 3, .n_best = 3, .max_length = 8};
  const auto found = search(both, sources, config);
  for (size_t b = 0; b < texts.size(); ++b) {
    for (const Hypothesis& h : found[b]) {
      if (!h.finished) continue;
      const std::vector<std::vector<int>> target{h.ids};
      const auto said = [&](const std::vector<const Seq2Seq*>& models) {
        return force(models, {&sources[b], 1}, target, config).front();
      };
      const Hypothesis one = said(models_), two = said(second);
      for (size_t i = 0; i < h.log_probabilities.size(); ++i) {
        const double mean = (std::exp(double{one.log_probabilities[i]}) +
                             std::exp(double{two.log_probabilities[i]})) /
                            2;
        EXPECT_NEAR(h.log_probabilities[i], std::log(mean), 1e-4);
      }
      expect_forced(said(both), h, Precision::kFloat32);
    }
  }
}

TEST_P(SearchLaws, AskingForWeightsChangesNothing) {
  const auto texts = sentences(23, 7);
  SearchConfig config{.beam_size = 3, .n_best = 3, .max_length = 8};
  const auto without = search(models_, sources_of(texts), config);
  config.want_weights = true;
  auto with = search(models_, sources_of(texts), config);
  for (size_t b = 0; b < texts.size(); ++b) {
    ASSERT_EQ(with[b].size(), without[b].size());
    for (size_t j = 0; j < with[b].size(); ++j) {
      with[b][j].weights.clear();
      expect_same(with[b][j], without[b][j]);
    }
  }
}

TEST_P(SearchLaws, NeighboursAndThreadsChangeNothing) {
  auto texts = sentences(24, 20);
  texts.insert(texts.begin() + 3, std::vector<int>{});
  std::vector<SearchSource> sources = sources_of(texts);
  const std::vector<int> few{model_.end(), 3, 4, 7, 8, 11, 12, 15};
  const std::vector<int> others{model_.end(), 3, 5, 6, 9, 10};
  for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
    params_.prepare(precision);
    for (const bool short_lists : {false, true}) {
      for (size_t i = 0; i < sources.size(); ++i) {
        sources[i].shortlist = {};
        if (short_lists) sources[i].shortlist = i % 3 ? few : others;
      }
      for (const bool sample : {false, true}) {
        SearchAllConfig config{.search = {.beam_size = 3,
                                          .n_best = 2,
                                          .max_length = 10,
                                          .sample = sample,
                                          .want_weights = true},
                               .batch_size = 1};
        const auto alone = search_all(models_, sources, config);
        with_threads({1, 2, 4}, [&](int) {
          for (int size : {7, 64}) {
            config.batch_size = size;
            const auto together = search_all(models_, sources, config);
            for (size_t i = 0; i < sources.size(); ++i) {
              ASSERT_EQ(together[i].size(), alone[i].size());
              for (size_t j = 0; j < alone[i].size(); ++j) {
                expect_same(together[i][j], alone[i][j]);
              }
            }
          }
        });
        EXPECT_TRUE(alone[3][0].ids.empty());
      }
    }
  }
}

// So many words together that several sentences are scored at a time.
TEST_P(SearchLaws, ListsOfManySentencesChangeNothing) {
  std::vector<int> few{model_.end()};
  for (int id = 3; id < GetParam().config.vocabulary.target; ++id) {
    few.push_back(id);
  }
  const std::vector<int> others{model_.end(), 3, 5, 6, 9, 10};
  const auto count = static_cast<int>((3 << 14) / few.size());
  const auto texts = sentences(27, count);
  std::vector<SearchSource> sources = sources_of(texts);
  for (size_t i = 0; i < sources.size(); ++i) {
    sources[i].shortlist = i % 3 ? few : others;
  }
  const SearchConfig config{.beam_size = 2, .max_length = 3};
  const auto together = search(models_, sources, config);
  for (size_t i = 0; i < sources.size(); i += 37) {
    const auto alone = search(models_, {&sources[i], 1}, config);
    expect_same(together[i][0], alone[0][0]);
  }
}

TEST_P(SearchLaws, AShortlistAllowsItsWordsOnly) {
  const auto texts = sentences(25, 6);
  std::vector<SearchSource> sources = sources_of(texts);
  const std::vector<int> few{model_.end(), 3, 4, 7, 8};
  for (SearchSource& source : sources) source.shortlist = few;
  const SearchConfig config{.beam_size = 3, .n_best = 3, .max_length = 6};
  const auto found = search(models_, sources, config);
  for (size_t b = 0; b < texts.size(); ++b) {
    for (const Hypothesis& h : found[b]) {
      for (int id : h.ids) EXPECT_TRUE(std::ranges::binary_search(few, id));
      if (!h.finished) continue;
      const std::vector<std::vector<int>> target{h.ids};
      const Hypothesis forced =
          force(models_, {&sources[b], 1}, target, config).front();
      EXPECT_EQ(h.score, forced.score);
    }
  }
}

TEST_P(SearchLaws, AModelAgreesWithItself) {
  const auto texts = sentences(26, 6);
  const SearchConfig config{.beam_size = 3, .n_best = 3, .max_length = 8};
  const auto one = search(models_, sources_of(texts), config);
  const std::vector<const Seq2Seq*> twice{&model_, &model_};
  const auto two = search(twice, sources_of(texts), config);
  for (size_t b = 0; b < texts.size(); ++b) {
    ASSERT_EQ(one[b].size(), two[b].size());
    EXPECT_EQ(one[b][0].ids, two[b][0].ids);
    EXPECT_NEAR(one[b][0].score, two[b][0].score, 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SearchLaws, ::testing::ValuesIn(tiny_models()),
                         [](const auto& one) {
                           return tiny_model_name(one.param);
                         });

}  // namespace
}  // namespace fovea
