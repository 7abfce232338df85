#include "fovea/eval/ngram_matcher.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

namespace fovea {
namespace {

using Symbols = std::vector<int>;

std::map<Symbols, int> ngrams(const Symbols& text, int n) {
  std::map<Symbols, int> counts;
  for (size_t i = 0; i + n <= text.size(); ++i) {
    ++counts[Symbols(text.begin() + i, text.begin() + i + n)];
  }
  return counts;
}

// What the matcher must find, by maps.
Symbols slow_match(const std::vector<Symbols>& references, const Symbols& text,
                   int orders) {
  Symbols matches;
  for (int n = 1; n <= orders; ++n) {
    std::map<Symbols, int> most;
    for (const Symbols& reference : references) {
      for (const auto& [ngram, count] : ngrams(reference, n)) {
        most[ngram] = std::max(most[ngram], count);
      }
    }
    int shared = 0;
    for (const auto& [ngram, count] : ngrams(text, n)) {
      const auto found = most.find(ngram);
      if (found != most.end()) shared += std::min(count, found->second);
    }
    matches.push_back(shared);
  }
  return matches;
}

RC_GTEST_PROP(NgramMatcher, CountsAsMapsDo, ()) {
  const auto text =
      rc::gen::resize(30, rc::gen::container<Symbols>(rc::gen::inRange(0, 4)));
  NgramMatcher matcher(4);
  for (int round = 0; round < 3; ++round) {
    const auto references =
        *rc::gen::resize(5, rc::gen::container<std::vector<Symbols>>(text));
    matcher.forget_references();
    for (const Symbols& reference : references) {
      matcher.add_reference(reference);
    }
    for (int again = 0; again < 2; ++again) {
      const Symbols output = *text;
      const auto found = matcher.match(output);
      RC_ASSERT(Symbols(found.begin(), found.end()) ==
                slow_match(references, output, 4));
    }
  }
}

TEST(NgramMatcher, GrowsWithLongTexts) {
  Symbols text(5000);
  for (int i = 0; i < 5000; ++i) text[i] = i * i % 977;
  NgramMatcher matcher(3);
  matcher.add_reference(text);
  const auto found = matcher.match(text);
  EXPECT_EQ(Symbols(found.begin(), found.end()), (Symbols{5000, 4999, 4998}));
}

}  // namespace
}  // namespace fovea
