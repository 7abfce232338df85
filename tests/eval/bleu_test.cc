#include "fovea/eval/bleu.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/base/version.h"
#include "support/elephants.h"

namespace fovea {
namespace {

using testing::kElephantsA, testing::kElephantsB, testing::kElephantsOutput;
using Texts = std::vector<std::string>;

std::vector<MetricText> both() { return {{kElephantsA}, {kElephantsB}}; }

std::vector<double> sums(const Bleu& bleu,
                         const std::vector<MetricText>& references) {
  return bleu.count({kElephantsOutput}, references).sums();
}

void expect_figures(const Bleu& bleu, const std::vector<MetricText>& references,
                    double score, const std::vector<double>& counts) {
  const std::vector<double> found = sums(bleu, references);
  EXPECT_NEAR(bleu.score(found), score, 1e-6);
  EXPECT_EQ(found, counts);
}

TEST(Bleu, GivesTheScoresOfTheSpecification) {  // SPEC F3
  expect_figures(Bleu(), both(), 73.426022,
                 {28, 27, 27, 21, 15, 10, 28, 25, 22, 19});
  expect_figures(Bleu(), {{kElephantsA}}, 53.146164,
                 {28, 29, 24, 17, 11, 6, 28, 25, 22, 19});
  expect_figures(Bleu(), {{kElephantsB}}, 42.981743,
                 {28, 29, 20, 12, 8, 6, 28, 25, 22, 19});
  expect_figures(Bleu({.tokenizer = BleuTokenizer::kNone}), both(), 63.543461,
                 {22, 22, 21, 15, 9, 5, 22, 19, 16, 13});
  EXPECT_EQ(Bleu().result(sums(Bleu(), both())).brevity_penalty, 1);
  EXPECT_NEAR(Bleu().result(sums(Bleu(), {{kElephantsA}})).brevity_penalty,
              0.964916, 1e-6);
}

TEST(Bleu, ScoresSentencesWithTheOrdersTheyHave) {
  const Bleu bleu;
  const MetricCounts counts = bleu.count({kElephantsOutput}, both());
  EXPECT_NEAR(bleu.sentence_score(counts.row(0)), 59.694918, 1e-6);
  EXPECT_NEAR(bleu.sentence_score(counts.row(1)), 78.562930, 1e-6);
  EXPECT_NEAR(bleu.sentence_score(counts.row(2)), 80.342842, 1e-6);
}

double score(const BleuOptions& options, const Texts& output,
             const Texts& reference) {
  return corpus_score(Bleu(options), output, reference);
}

TEST(Bleu, SmoothsOrdersWithoutAMatch) {
  const Texts output{"a b c d e f", "g h"}, reference{"a b x d e y", "g z"};
  BleuOptions o{.tokenizer = BleuTokenizer::kNone};
  EXPECT_NEAR(score(o, output, reference), 21.583501, 1e-6);
  const MetricText references[] = {{reference}};
  const auto precisions =
      Bleu(o).result(Bleu(o).count({output}, references).sums()).precisions;
  const double expected[] = {62.5, 100 / 3.0, 12.5, 100 / 12.0};
  for (int n = 0; n < 4; ++n) EXPECT_NEAR(precisions[n], expected[n], 1e-9);
  o.smoothing = BleuSmoothing::kFloor;
  EXPECT_NEAR(score(o, output, reference), 11.478744, 1e-6);
  o.smoothing = BleuSmoothing::kAddK;
  EXPECT_NEAR(score(o, output, reference), 34.018747, 1e-6);
  o.smoothing = BleuSmoothing::kNone;
  EXPECT_EQ(score(o, output, reference), 0);
}

TEST(Bleu, ClipsRepeatedWords) {
  EXPECT_NEAR(
      score({}, {"the the the the the the the"}, {"the cat is on the mat"}),
      7.809850, 1e-6);
}

TEST(Bleu, LeavesOutOrdersThatTheTextIsTooShortForIfAsked) {
  EXPECT_EQ(score({}, {"a b c"}, {"a b d"}), 0);
  EXPECT_NEAR(score({.effective_order = true}, {"a b c"}, {"a b d"}), 55.032121,
              1e-6);
  EXPECT_NEAR(score({}, {"la zone économique européenne"},
                    {"la zone économique européenne est grande"}),
              60.653066, 1e-6);
}

TEST(Bleu, IsZeroWithoutAMatchAndForNothing) {
  EXPECT_EQ(score({}, {"a"}, {"b"}), 0);
  EXPECT_EQ(score({}, {""}, {"b"}), 0);
  EXPECT_EQ(score({}, {"a"}, {""}), 0);
  EXPECT_EQ(score({}, {}, {}), 0);
}

TEST(Bleu, LowersCasesIfAsked) {
  EXPECT_NEAR(score({.lower_case = true}, {"ÄÖ B C D"}, {"äö b c d"}), 100,
              1e-9);
  EXPECT_LT(score({}, {"ÄÖ B C D"}, {"äö b c d"}), 1);
}

TEST(Bleu, TakesTokenizedTextAsMultiBleuDoes) {
  const BleuOptions o = multi_bleu_options();
  // No smoothing; only ASCII space separates words.
  EXPECT_EQ(score(o, {"a b c d"}, {"a b c x"}), 0);
  EXPECT_NEAR(score(o, {"a b c d ,"}, {"a b c d ,"}), 100, 1e-9);
  EXPECT_NEAR(score(o, {"1\u00a0000 b c d"}, {"1\u00a0000 b\tc d "}), 100,
              1e-9);
  EXPECT_EQ(score(o, {"1\u00a0000 b c d"}, {"1 000 b c d"}), 0);
}

TEST(Bleu, SplitsCompoundsIfAsked) {
  BleuOptions o = multi_bleu_options();
  o.split_compounds = true;
  const auto length = [&](const std::string& line) {
    const Texts lines{line};
    const MetricText same[] = {{lines}};
    return Bleu(o).count({lines}, same).row(0)[Bleu::kLength];
  };
  EXPECT_EQ(length("Müller-Sohn"), 3);
  EXPECT_EQ(length("a - b -c d-"), 5);
  EXPECT_EQ(length("ja-ja-ja"), 5);
  EXPECT_EQ(length("a-b-c"), 3);  // b is used up: a ##AT##-##AT## b-c
  EXPECT_NE(Bleu(o).signature(1).find("|compounds:split|"), std::string::npos);
}

TEST(Bleu, StatesHowItWasComputed) {
  const std::string end = "|version:fovea." + version();
  EXPECT_EQ(Bleu().signature(1),
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp" + end);
  EXPECT_EQ(Bleu({.tokenizer = BleuTokenizer::kNone,
                  .smoothing = BleuSmoothing::kFloor,
                  .effective_order = true,
                  .lower_case = true})
                .signature(2),
            "nrefs:2|case:lc|eff:yes|tok:none|smooth:floor[0.10]" + end);
  EXPECT_EQ(Bleu().details(sums(Bleu(), {{kElephantsA}})),
            "85.7/68.0/50.0/31.6 (BP = 0.965 ratio = 0.966 hyp_len = 28 "
            "ref_len = 29)");
}

TEST(Bleu, NamesBothCountsOfLinesThatDiffer) {
  const MetricText reference[] = {{kElephantsA, "ref.de"}};
  const Texts two{"a", "b"};
  try {
    Bleu().count({two, "out.de"}, reference);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kData);
    EXPECT_STREQ(e.what(), "out.de has 2 lines but ref.de has 3");
  }
  EXPECT_THROW(Bleu({.smooth_value = -1}), Error);
}

// Words of few letters, so that some match.
std::vector<std::string> some_lines(const std::vector<std::vector<int>>& all) {
  std::vector<std::string> lines;
  for (const auto& words : all) {
    std::string line;
    for (int word : words) {
      line += std::string(1, static_cast<char>('a' + std::abs(word) % 5)) + " ";
    }
    lines.push_back(line);
  }
  return lines;
}

RC_GTEST_PROP(Bleu, IsPercentAndPerfectForTheReferenceItself,
              (const std::vector<std::vector<int>>& a)) {
  const auto lines = some_lines(a);
  auto others = lines;
  std::reverse(others.begin(), others.end());
  const double cross = score({}, lines, others);
  RC_ASSERT(cross >= 0 && cross <= 100 + 1e-9);
  const bool long_enough =
      std::any_of(a.begin(), a.end(), [](auto& s) { return s.size() > 3; });
  if (long_enough) RC_ASSERT(std::abs(score({}, lines, lines) - 100) < 1e-9);
}

TEST(Bleu, DoesNotDependOnThreads) {
  Texts output, reference;
  for (int i = 0; i < 1000; ++i) {
    output.push_back("a b c " + std::to_string(i % 7) + " d e f");
    reference.push_back("a b c " + std::to_string(i % 5) + " d e g");
  }
  const double one = [&] {
    ThreadLimit limit(1);
    return score({}, output, reference);
  }();
  ThreadLimit limit(4);
  EXPECT_EQ(score({}, output, reference), one);
}

}  // namespace
}  // namespace fovea
