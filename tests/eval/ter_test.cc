#include "fovea/eval/ter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fovea/base/version.h"
#include "fovea/eval/error_rate.h"
#include "fovea/eval/ter_edits.h"

namespace fovea {
namespace {

using Words = std::vector<int>;
using Texts = std::vector<std::string>;

TEST(TerEdits, CountsAMovedBlockOnce) {
  EXPECT_EQ(ter_edits(Words{1, 2, 3, 4}, Words{1, 2, 3, 4}), 0);
  EXPECT_EQ(ter_edits(Words{3, 4, 1, 2}, Words{1, 2, 3, 4}), 1);
  EXPECT_EQ(ter_edits(Words{3, 4, 1, 2, 9}, Words{1, 2, 3, 4, 5}), 2);
  EXPECT_EQ(ter_edits(Words{1, 2, 4}, Words{1, 2, 3, 4}), 1);
}

TEST(TerEdits, TakesEmptySides) {
  EXPECT_EQ(ter_edits({}, Words{1, 2}), 2);
  EXPECT_EQ(ter_edits(Words{1, 2}, {}), 2);
  EXPECT_EQ(ter_edits({}, {}), 0);
}

// Far from the diagonal, where the beam must widen.
TEST(TerEdits, TakesVeryDifferentLengths) {
  Words many(400);
  for (int i = 0; i < 400; ++i) many[i] = i;
  EXPECT_EQ(ter_edits(Words{300}, many), 399);
  EXPECT_EQ(ter_edits(Words{5}, many), 400);  // out of the beam
  EXPECT_EQ(ter_edits(many, Words{5}), 399);
}

RC_GTEST_PROP(TerEdits, NeverExceedsTheEditsWithoutMoves, ()) {
  const auto words = *rc::gen::container<Words>(rc::gen::inRange(0, 6));
  const auto reference = *rc::gen::container<Words>(rc::gen::inRange(0, 6));
  // Within the beam, that is.
  RC_PRE(words.size() < 25 && reference.size() < 25);
  const int edits = ter_edits(words, reference);
  RC_ASSERT(edits >= 0);
  RC_ASSERT(edits <= edit_counts(words, reference).total());
}

TEST(Ter, DividesByTheMeanLengthOfTheReferences) {
  const Texts output{"a b c d"}, a{"a b c x"}, b{"c d a b e f"};
  const MetricText references[] = {{a}, {b}};
  const MetricCounts counts = Ter().count({output}, references);
  EXPECT_EQ(counts.row(0)[0], 1);
  EXPECT_EQ(counts.row(0)[1], 5);
  EXPECT_NEAR(Ter().score(counts.sums()), 20, 1e-9);
}

TEST(Ter, IgnoresCaseUnlessAsked) {
  const Texts output{"The Cat"}, reference{"the cat"};
  EXPECT_EQ(corpus_score(Ter(), output, reference), 0);
  EXPECT_EQ(corpus_score(Ter({.case_sensitive = true}), output, reference),
            100);
}

TEST(Ter, TreatsEmptyReferencesAsSacreBleu) {
  EXPECT_EQ(corpus_score(Ter(), Texts{"a b"}, Texts{""}), 100);
  EXPECT_EQ(corpus_score(Ter(), Texts{""}, Texts{""}), 0);
}

TEST(Ter, StatesHowItWasComputed) {
  EXPECT_EQ(Ter().signature(1),
            "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:"
            "fovea." +
                version());
  EXPECT_FALSE(Ter().higher_is_better());
}

}  // namespace
}  // namespace fovea
