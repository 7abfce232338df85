#include "fovea/eval/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/check.h"

namespace fovea {
namespace {

using Texts = std::vector<std::string>;

TEST(Perplexity, IsTheInverseOfTheGeometricMean) {  // SPEC F2
  const double logs[] = {std::log(0.5), std::log(0.25)};
  EXPECT_NEAR(perplexity(logs), 2.828427, 1e-6);
}

double score(const Texts& lines, LogBase base = LogBase::kE) {
  const Perplexity perplexity(base);
  return perplexity.score(perplexity.count({lines, "lp.txt"}, {}).sums());
}

TEST(Perplexity, ReadsLinesOfLogProbabilities) {
  EXPECT_NEAR(score({"-0.6931471805599453", "", " -1.3862943611198906 "}),
              2.828427, 1e-6);
  EXPECT_NEAR(score({"-1 -2"}, LogBase::k2), 2.828427, 1e-6);
  EXPECT_NEAR(score({"-1 -3"}, LogBase::k10), 100, 1e-9);
  EXPECT_EQ(score({"-inf"}), HUGE_VAL);
}

TEST(Perplexity, NamesWhatIsNoLogProbability) {
  for (const char* bad : {"0.5", "x", "nan", "-1,5", "1e-3"}) {
    try {
      score({"-1 0", std::string("-1 ") + bad});
      FAIL() << bad;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kData);
      EXPECT_EQ(e.what(), std::string("lp.txt:2: '") + bad +
                              "' is not the logarithm of a probability");
    }
  }
  EXPECT_THROW(score({"", ""}), Error);
}

}  // namespace
}  // namespace fovea
