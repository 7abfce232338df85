#include "fovea/eval/chrf.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "fovea/base/check.h"
#include "fovea/base/version.h"
#include "support/elephants.h"

namespace fovea {
namespace {

using testing::kElephantsA, testing::kElephantsB, testing::kElephantsOutput;
using Texts = std::vector<std::string>;

double of_both(const ChrfOptions& options) {
  const MetricText both[] = {{kElephantsA}, {kElephantsB}};
  const Chrf chrf(options);
  return chrf.score(chrf.count({kElephantsOutput}, both).sums());
}

TEST(Chrf, GivesTheScoresOfTheSpecification) {  // SPEC F4
  EXPECT_NEAR(of_both({}), 72.471641, 1e-6);
  EXPECT_NEAR(of_both({.word_order = 2}), 73.779305, 1e-6);
  EXPECT_NEAR(corpus_score(Chrf(), kElephantsOutput, kElephantsA), 68.344932,
              1e-6);
  const Texts output{"la zone économique européenne"},
      reference{"la zone économique européenne est grande"};
  EXPECT_NEAR(corpus_score(Chrf(), output, reference), 76.478332, 1e-6);
  EXPECT_NEAR(corpus_score(Chrf({.word_order = 2}), output, reference),
              74.473948, 1e-6);
}

TEST(Chrf, TakesTheBestReferenceOfEachSentence) {
  const MetricText both[] = {{kElephantsA}, {kElephantsB}};
  const Chrf chrf;
  const MetricCounts counts = chrf.count({kElephantsOutput}, both);
  EXPECT_NEAR(chrf.sentence_score(counts.row(0)), 73.711315, 1e-6);
  EXPECT_NEAR(chrf.sentence_score(counts.row(1)), 69.013517, 1e-6);
  EXPECT_NEAR(chrf.sentence_score(counts.row(2)), 76.272294, 1e-6);
}

TEST(Chrf, SmoothsAsTheFirstProgramsIfAsked) {
  EXPECT_NEAR(
      corpus_score(Chrf({.eps_smoothing = true}), Texts{"aa"}, Texts{"ab"}),
      8.3333333, 1e-6);
}

TEST(Chrf, StatesHowItWasComputed) {
  const std::string end = "|space:no|version:fovea." + version();
  EXPECT_EQ(Chrf().name(), "chrF2");
  EXPECT_EQ(Chrf().signature(1), "nrefs:1|case:mixed|eff:yes|nc:6|nw:0" + end);
  const Chrf other({.word_order = 2, .beta = 3, .eps_smoothing = true});
  EXPECT_EQ(other.name(), "chrF3++");
  EXPECT_EQ(other.signature(2), "nrefs:2|case:mixed|eff:no|nc:6|nw:2" + end);
  EXPECT_THROW(Chrf({.char_order = 0}), Error);
}

RC_GTEST_PROP(Chrf, IsPercentForAnyBytes,
              (const std::string& a, const std::string& b)) {
  const Texts one{a}, two{b};
  for (int words : {0, 2}) {
    const Chrf chrf({.word_order = words});
    const double score = corpus_score(chrf, one, two);
    RC_ASSERT(score >= 0 && score <= 100 + 1e-9);
  }
}

}  // namespace
}  // namespace fovea
