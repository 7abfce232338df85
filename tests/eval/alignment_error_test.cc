#include "fovea/eval/alignment_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fovea/base/check.h"

namespace fovea {
namespace {

using Texts = std::vector<std::string>;

AlignmentError::Result result(const Texts& output, const Texts& truth,
                              int first = 0) {
  const AlignmentError metric(first);
  const MetricText references[] = {{truth, "truth"}};
  return AlignmentError::result(
      metric.count({output, "out"}, references).sums());
}

TEST(AlignmentError, GivesTheRatesOfTheSpecification) {  // SPEC E3
  for (const char* truth : {"0-0 1-1 2?1", "2p1 1-1 0-0 0-0"}) {
    const auto r = result({"0-0 2-1 2-2"}, {truth});
    EXPECT_NEAR(r.error, 40, 1e-9);
    EXPECT_NEAR(r.precision, 100 * 2 / 3.0, 1e-9);
    EXPECT_NEAR(r.recall, 50, 1e-9);
  }
  EXPECT_NEAR(result({"0-0 1-1"}, {"0-0 1-1 2?1"}).error, 0, 1e-9);
  EXPECT_NEAR(result({"1-1 3-2 3-3"}, {"1-1 2-2 3?2"}, 1).error, 40, 1e-9);
}

TEST(AlignmentError, PoolsSentencesAndTakesEmptyOnes) {
  EXPECT_NEAR(result({"0-0", "", "5-5"}, {"0-0", "1-1", ""}).error, 50, 1e-9);
  EXPECT_EQ(result({""}, {""}).error, 0);
}

std::string error_of(const std::string& line, int first = 0) {
  try {
    result({"0-0", line}, {"0-0", ""}, first);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kData);
    return e.what();
  }
  return "no error";
}

TEST(AlignmentError, NamesTheLineOfABadLink) {
  for (const char* bad : {"0", "0-", "-1-0", "0-x", "0--1", "a-0", "0+1",
                          "0-0-0", "99999999999-0", "1 -2"}) {
    const std::string word =
        std::string(bad).substr(0, std::string(bad).find(' '));
    EXPECT_EQ(error_of(bad),
              "out:2: '" + word + "' is not a link; expected 0-0, 0?0 or 0p0");
  }
  try {
    result({"0-1"}, {""}, 1);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "out:1: '0-1' has a word before the first, which is number 1");
  }
}

TEST(ParseAlignment, SortsLinksAndDropsDoubles) {
  const Alignment a = parse_alignment("2-1 0?3 0-0 2-1 0p0", "here");
  EXPECT_EQ(a.sure, (std::vector<Link>{{0, 0}, {2, 1}}));
  EXPECT_EQ(a.possible, (std::vector<Link>{{0, 0}, {0, 3}, {2, 1}}));
}

RC_GTEST_PROP(AlignmentError, IsNoneForTheTruthItself, ()) {
  const auto links = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 9), rc::gen::inRange(0, 9)));
  std::string line;
  for (const auto& [s, t] : links) line += join(s, "-", t, " ");
  RC_ASSERT(result({line}, {line}).error == 0);
}

}  // namespace
}  // namespace fovea
