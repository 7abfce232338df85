#include "fovea/data/word_aligner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/base/rng.h"
#include "fovea/data/symmetric_aligner.h"

namespace fovea {
namespace {

struct Pairs {
  Sentences source, target;
  std::vector<WordLinks> gold;
};

// Word w translates to 100 + w, or to 200 + w, and neighbours change places in
// every third pair.
Pairs dictionary_pairs(int count, uint64_t seed) {
  Pairs pairs;
  for (int s = 0; s < count; ++s) {
    const RandomKey key = RandomKey(seed).with(s);
    const auto length = static_cast<int>(3 + random_below(key, 0, 6));
    std::vector<int> source, target(length);
    WordLinks gold;
    for (int i = 0; i < length; ++i) {
      source.push_back(static_cast<int>(random_below(key, 10 + i, 40)));
      int place = i;
      if (s % 3 == 0 && (i ^ 1) < length) place = i ^ 1;
      const bool second = random_below(key, 100 + i, 4) == 0;
      target[place] = source[i] + (second ? 200 : 100);
      gold.emplace_back(i, place);
    }
    std::sort(gold.begin(), gold.end(),
              [](auto& a, auto& b) { return a.second < b.second; });
    pairs.source.add(source);
    pairs.target.add(target);
    pairs.gold.push_back(gold);
  }
  return pairs;
}

double accuracy(const Pairs& pairs, const auto& aligner) {
  int64_t right = 0, all = 0;
  for (int64_t s = 0; s < pairs.source.size(); ++s) {
    for (const auto& link : aligner.align(pairs.source[s], pairs.target[s])) {
      right += std::count(pairs.gold[s].begin(), pairs.gold[s].end(), link);
    }
    all += std::ssize(pairs.gold[s]);
  }
  return static_cast<double>(right) / static_cast<double>(all);
}

TEST(WordAligner, GivesTheHandComputedExample) {
  Sentences german, english;
  for (const char* line : {"das Haus", "das Buch", "ein Buch"})
    german.add(line);
  for (const char* line : {"the house", "the book", "a book"})
    english.add(line);
  std::vector<double> likelihoods;
  const WordAligner aligner = WordAligner::train(
      german, english,
      {.ibm1_iterations = 2, .diagonal_iterations = 0, .null_probability = 0},
      [&](const AlignerStep& step) {
        likelihoods.push_back(step.log_likelihood);
      });
  const auto p = [&](const char* from, const char* to) {
    return aligner.probability(german.words().find(from),
                               english.words().find(to));
  };
  EXPECT_NEAR(p("das", "the"), 7.0 / 11, 1e-6);
  EXPECT_NEAR(p("das", "house"), 2.0 / 11, 1e-6);
  EXPECT_NEAR(p("das", "book"), 2.0 / 11, 1e-6);
  EXPECT_NEAR(p("Haus", "house"), 4.0 / 7, 1e-6);
  EXPECT_NEAR(p("Buch", "book"), 7.0 / 11, 1e-6);
  EXPECT_NEAR(p("ein", "a"), 4.0 / 7, 1e-6);
  EXPECT_EQ(p("ein", "house"), 0) << "they never meet";
  ASSERT_EQ(likelihoods.size(), 2u);
  EXPECT_NEAR(likelihoods[0], 6 * std::log(0.25), 1e-6);
  // (0.5*0.25 of Buch + 0.5*0.5 of das) and the like, word by word.
  EXPECT_NEAR(
      likelihoods[1],
      std::log(0.5) + std::log(0.375) + 3 * std::log(0.375) + std::log(0.5),
      1e-6);
}

TEST(WordAligner, FindsADictionaryAndItsOrder) {
  const Pairs pairs = dictionary_pairs(600, 1);
  const WordAligner aligner = WordAligner::train(pairs.source, pairs.target);
  EXPECT_GT(accuracy(pairs, aligner), 0.97);
  for (int word = 0; word < 40; ++word) {
    const auto best = aligner.translations(word, 2);
    ASSERT_EQ(best.size(), 2u);
    EXPECT_EQ(best[0].word, 100 + word);
    EXPECT_EQ(best[1].word, 200 + word);
    EXPECT_NEAR(best[0].probability, 0.75, 0.15);
  }
}

TEST(WordAligner, TheDiagonalHelpsWhereWordsRepeat) {
  Pairs pairs;  // every word three times, in order
  for (int s = 0; s < 50; ++s) {
    std::vector<int> words;
    WordLinks gold;
    for (int i = 0; i < 6; ++i) {
      words.push_back((s + i % 2) % 7);
      gold.emplace_back(i, i);
    }
    pairs.source.add(words);
    pairs.target.add(words);
    pairs.gold.push_back(gold);
  }
  const auto train = [&](int ibm1, int diagonal) {
    return WordAligner::train(
        pairs.source, pairs.target,
        {.ibm1_iterations = ibm1, .diagonal_iterations = diagonal});
  };
  EXPECT_LT(accuracy(pairs, train(8, 0)), 0.6);
  EXPECT_GT(accuracy(pairs, train(4, 4)), 0.95);
}

TEST(WordAligner, LikelihoodNeverFalls) {
  const Pairs pairs = dictionary_pairs(200, 2);
  AlignerConfig config{.ibm1_iterations = 8, .diagonal_iterations = 12};
  config.variational_bayes = false;
  std::vector<AlignerStep> steps;
  WordAligner::train(pairs.source, pairs.target, config,
                     [&](const AlignerStep& step) { steps.push_back(step); });
  ASSERT_EQ(steps.size(), 20u);
  for (size_t i = 1; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].iteration, static_cast<int>(i) + 1);
    if (steps[i].diagonal != steps[i - 1].diagonal) continue;
    EXPECT_GE(steps[i].log_likelihood, steps[i - 1].log_likelihood * (1 + 1e-7))
        << i;
  }
  EXPECT_NE(steps.back().tension, config.tension);
}

TEST(WordAligner, DoesNotDependOnThreads) {
  const Pairs pairs = dictionary_pairs(3000, 3);
  const auto train = [&](int threads) {
    const ThreadLimit limit(threads);
    return WordAligner::train(pairs.source, pairs.target);
  };
  const WordAligner one = train(1);
  for (int threads : {2, 3, 4}) {
    const WordAligner many = train(threads);
    EXPECT_EQ(one.tension(), many.tension());
    for (int from = 0; from < 40; ++from) {
      for (int to = 100; to < 240; ++to) {
        ASSERT_EQ(one.probability(from, to), many.probability(from, to));
      }
    }
  }
}

TEST(WordAligner, LeavesWordsWithoutASourceUnlinked) {
  Sentences source, target;
  for (int s = 0; s < 60; ++s) {
    const int word = s % 20;
    source.add(std::vector<int>{word, (word * 7 + s / 20 + 1) % 20});
    // 99 is in every second sentence and comes from nothing.
    std::vector<int> words{source[s][0], source[s][1]};
    if (s % 2 == 0) words.push_back(99);
    target.add(words);
  }
  const WordAligner aligner =
      WordAligner::train(source, target, {.null_probability = 0.2});
  EXPECT_EQ(aligner.align(source[0], target[0]), (WordLinks{{0, 0}, {1, 1}}));
}

TEST(WordAligner, TakesWhatIsEmptyUnknownOrTooLong) {
  Sentences source, target;
  source.add("a b");
  target.add("x y");
  source.add("");
  target.add("only here");
  source.add("much too long");
  target.add("z");
  const WordAligner aligner =
      WordAligner::train(source, target, {.max_words = 2});
  EXPECT_EQ(aligner.table_size(), 4 + 2) << "two words, and two for none";
  EXPECT_TRUE(aligner.align({}, target[0]).empty());
  EXPECT_TRUE(aligner.align(source[0], {}).empty());
  const std::vector<int> unknown{-1, 500, -1};
  EXPECT_EQ(aligner.align(unknown, unknown),
            (WordLinks{{0, 0}, {1, 1}, {2, 2}}))
      << "the diagonal is all there is";
  EXPECT_TRUE(aligner.translations(500, 5).empty());
  EXPECT_TRUE(aligner.translations(-1, 5).empty());
  EXPECT_EQ(aligner.translations(0, 1).size(), 1u);
  EXPECT_EQ(source.ids_of("b c much"), (std::vector<int>{1, -1, 2}));
}

TEST(WordAligner, RefusesWhatCannotBe) {
  Sentences one, two;
  one.add("a");
  EXPECT_THROW(WordAligner::train(one, two), Error);
  EXPECT_THROW(WordAligner::train(one, one, {.null_probability = 1}), Error);
  EXPECT_THROW(WordAligner::train(one, one, {.max_words = 0}), Error);
  EXPECT_THROW(one.add(std::vector<int>{-1}), Error);
  EXPECT_NO_THROW(WordAligner::train(two, two));
}

TEST(SymmetricAligner, JoinsBothDirections) {
  const Pairs pairs = dictionary_pairs(300, 4);
  const SymmetricAligner aligner =
      SymmetricAligner::train(pairs.source, pairs.target);
  EXPECT_GT(accuracy(pairs, aligner), 0.97);
  EXPECT_GT(aligner.backward().probability(100, 0), 0.5f);
}

TEST(SymmetricAligner, LearnsOneDirectionAloneIfAskedTo) {
  const Pairs pairs = dictionary_pairs(100, 4);
  int rounds = 0;
  const auto train = [&](Symmetry how) {
    return SymmetricAligner::train(pairs.source, pairs.target, {.how = how},
                                   [&](const AlignerStep&) { ++rounds; });
  };
  const auto sorted = [](WordLinks links) {
    std::sort(links.begin(), links.end());
    return links;
  };
  const SymmetricAligner both = train(Symmetry::kGrowDiag);
  EXPECT_EQ(rounds, 20);
  const SymmetricAligner forward = train(Symmetry::kForward);
  const SymmetricAligner backward = train(Symmetry::kBackward);
  EXPECT_EQ(rounds, 40);
  for (int64_t i = 0; i < pairs.source.size(); ++i) {
    const auto s = pairs.source[i], t = pairs.target[i];
    EXPECT_EQ(forward.align(s, t), sorted(both.forward().align(s, t)));
    EXPECT_EQ(backward.align(s, t),
              sorted(swapped(both.backward().align(t, s))));
  }
}

TEST(AgreeingAligner, FindsADictionaryAndItsOrder) {
  const Pairs pairs = dictionary_pairs(300, 4);
  const auto agreeing =
      AgreeingAligner::train(pairs.source, pairs.target, {}, 3);
  const auto symmetric = SymmetricAligner::train(pairs.source, pairs.target,
                                                 {.hmm_iterations = 3});
  EXPECT_GT(accuracy(pairs, symmetric), 0.97);
  for (int64_t i = 0; i < 20; ++i) {
    const auto [forward, backward] =
        agreeing.align(pairs.source[i], pairs.target[i]);
    EXPECT_EQ(symmetric.align(pairs.source[i], pairs.target[i]),
              symmetrise(forward, backward, Symmetry::kGrowDiagFinalAnd));
  }
  const std::vector<int> unknown{-1, 500, -1}, none;
  EXPECT_EQ(agreeing.align(unknown, unknown).forward.size(), 3u);
  EXPECT_TRUE(agreeing.align(none, unknown).forward.empty());
  EXPECT_TRUE(agreeing.align(unknown, none).backward.empty());
}

TEST(AgreeingAligner, LinksMoreSurelyThanOneDirectionAlone) {
  const Pairs pairs = dictionary_pairs(60, 9);
  const auto train = [&](int rounds) {
    return SymmetricAligner::train(
        pairs.source, pairs.target,
        {.aligner = {.ibm1_iterations = 3, .diagonal_iterations = 0},
         .how = Symmetry::kForward,
         .hmm_iterations = rounds});
  };
  EXPECT_GT(accuracy(pairs, train(5)), accuracy(pairs, train(0)));
}

TEST(SymmetricAligner, AlignsAllPairsAlikeOnAnyNumberOfThreads) {
  const Pairs pairs = dictionary_pairs(700, 4);
  std::vector<WordLinks> first;
  for (int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    const SymmetricAligner aligner = SymmetricAligner::train(
        pairs.source, pairs.target, {.hmm_iterations = 2});
    const auto links = aligner.align_all(pairs.source, pairs.target, 600);
    ASSERT_EQ(links.size(), 600u);
    EXPECT_EQ(links[599], aligner.align(pairs.source[599], pairs.target[599]));
    if (threads == 1) first = links;
    EXPECT_EQ(links, first);
  }
  EXPECT_THROW(SymmetricAligner::train(pairs.source, pairs.target)
                   .align_all(pairs.source, pairs.target, 701),
               Error);
}

}  // namespace
}  // namespace fovea
