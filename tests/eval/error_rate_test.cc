#include "fovea/eval/error_rate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace fovea {
namespace {

using Texts = std::vector<std::string>;
using Words = std::vector<int>;

const ErrorRate kWer({}), kCer({.characters = true});

TEST(ErrorRate, CountsEditsOfWords) {  // SPEC F8
  EXPECT_NEAR(corpus_score(kWer, Texts{"the sat mat"}, Texts{"the cat sat"}),
              100 * 2 / 3.0, 1e-9);
  EXPECT_EQ(edit_counts(Words{1, 3, 4}, Words{1, 2, 3}), (EditCounts{2, 0, 0}));
  EXPECT_EQ(edit_counts(Words{1, 2, 3, 4}, Words{2, 3}), (EditCounts{0, 0, 2}));
  EXPECT_EQ(edit_counts(Words{}, Words{2, 3}), (EditCounts{0, 2, 0}));
  EXPECT_EQ(edit_counts(Words{7, 1, 2, 3}, Words{1, 2, 3, 8}),
            (EditCounts{0, 1, 1}));
}

TEST(ErrorRate, IsPooledAndMayExceedHundred) {
  EXPECT_NEAR(corpus_score(kWer, Texts{"a", "x y z"}, Texts{"a b c", "x"}), 100,
              1e-9);
  EXPECT_NEAR(corpus_score(kWer, Texts{"a b c d"}, Texts{"x"}), 400, 1e-9);
  EXPECT_EQ(corpus_score(kWer, Texts{"a"}, Texts{""}), 100);
  EXPECT_EQ(corpus_score(kWer, Texts{""}, Texts{""}), 0);
}

TEST(ErrorRate, CountsCharactersNotBytes) {
  EXPECT_NEAR(corpus_score(kCer, Texts{"Größe"}, Texts{"Grösse"}),
              100 * 2 / 6.0, 1e-9);
  EXPECT_NEAR(corpus_score(kCer, Texts{"注意"}, Texts{"注力"}), 50, 1e-9);
  // A space is a character; how many there are does not count.
  EXPECT_NEAR(corpus_score(kCer, Texts{"ab"}, Texts{" a \t b "}), 100 / 3.0,
              1e-9);
  EXPECT_EQ(kCer.name(), "CER");
}

TEST(ErrorRate, TakesTheNearestReference) {
  const Texts output{"a b c"}, far{"x y z"}, near{"a b d"};
  const MetricText references[] = {{far}, {near}};
  const MetricCounts counts = kWer.count({output}, references);
  EXPECT_EQ(counts.row(0)[0], 1);
  EXPECT_NEAR(kWer.score(counts.sums()), 100 / 3.0, 1e-9);
}

// A plain Levenshtein distance.
int distance(const Words& a, const Words& b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<int>(i + j);
      } else {
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                            d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      }
    }
  }
  return d[a.size()][b.size()];
}

RC_GTEST_PROP(EditCounts, AddUpToTheDistance, ()) {
  const auto a = *rc::gen::container<Words>(rc::gen::inRange(0, 4));
  const auto b = *rc::gen::container<Words>(rc::gen::inRange(0, 4));
  const EditCounts edits = edit_counts(a, b);
  RC_ASSERT(edits.total() == distance(a, b));
  RC_ASSERT(edits.deletions - edits.insertions ==
            static_cast<int>(b.size()) - static_cast<int>(a.size()));
  RC_ASSERT(
      std::min({edits.substitutions, edits.deletions, edits.insertions}) >= 0);
}

}  // namespace
}  // namespace fovea
