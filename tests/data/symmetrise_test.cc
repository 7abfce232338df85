#include "fovea/data/symmetrise.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace fovea {
namespace {

WordLinks links(const char* text) { return read_pharaoh(text).value(); }

bool is_part(const WordLinks& part, const WordLinks& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

// SPEC E2.
TEST(Symmetrise, GivesTheExamplesOfTheDefinition) {
  const WordLinks a = links("0-0 2-2 4-4"), b = links("0-0 2-3");
  EXPECT_EQ(symmetrise(a, b, Symmetry::kIntersection), links("0-0"));
  EXPECT_EQ(symmetrise(a, b, Symmetry::kUnion), links("0-0 2-2 2-3 4-4"));
  EXPECT_EQ(symmetrise(a, b, Symmetry::kGrowDiag), links("0-0"));
  EXPECT_EQ(symmetrise(a, b, Symmetry::kGrowDiagFinal),
            links("0-0 2-2 2-3 4-4"));
  EXPECT_EQ(symmetrise(a, b, Symmetry::kGrowDiagFinalAnd),
            links("0-0 2-2 4-4"));
  EXPECT_EQ(symmetrise(a, b, Symmetry::kForward), a);
  EXPECT_EQ(symmetrise(a, b, Symmetry::kBackward), b);
  const WordLinks c = links("0-0 1-1 2-1 3-3"), d = links("0-0 1-1 1-2 3-2");
  EXPECT_EQ(symmetrise(c, d, Symmetry::kGrowDiag),
            symmetrise(c, d, Symmetry::kUnion));
}

TEST(Symmetrise, GrowsOnlyToWordsWithoutALink) {
  // 1-0 is near 0-0 and 1-1, but both its words are linked already.
  EXPECT_EQ(
      symmetrise(links("0-0 1-1"), links("0-0 1-1 1-0"), Symmetry::kGrowDiag),
      links("0-0 1-1"));
  EXPECT_EQ(
      symmetrise(links("0-0"), links("0-0 1-1 2-2 3-3"), Symmetry::kGrowDiag),
      links("0-0 1-1 2-2 3-3"))
      << "from link to link along the diagonal";
}

TEST(Symmetrise, TakesNothing) {
  for (const auto& entry : kSymmetries) {
    EXPECT_TRUE(symmetrise({}, {}, entry.value).empty());
  }
  EXPECT_EQ(symmetrise(links("5-5"), {}, Symmetry::kGrowDiagFinalAnd),
            links("5-5"));
}

RC_GTEST_PROP(Symmetrise, LiesBetweenIntersectionAndUnion, ()) {
  const auto some = [] {
    return *rc::gen::container<WordLinks>(
        rc::gen::pair(rc::gen::inRange(0, 7), rc::gen::inRange(0, 7)));
  };
  const WordLinks a = some(), b = some();
  const auto make = [&](Symmetry how) { return symmetrise(a, b, how); };
  const WordLinks grown = make(Symmetry::kGrowDiag);
  RC_ASSERT(is_part(make(Symmetry::kIntersection), grown));
  RC_ASSERT(is_part(grown, make(Symmetry::kGrowDiagFinalAnd)));
  RC_ASSERT(is_part(make(Symmetry::kGrowDiagFinalAnd), make(Symmetry::kUnion)));
  RC_ASSERT(is_part(grown, make(Symmetry::kGrowDiagFinal)));
  RC_ASSERT(is_part(make(Symmetry::kGrowDiagFinal), make(Symmetry::kUnion)));
  RC_ASSERT(swapped(swapped(a)) == a);
}

}  // namespace
}  // namespace fovea
