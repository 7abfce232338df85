#include "fovea/data/pharaoh.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fovea/base/log.h"
#include "fovea/data/word_ranges.h"

namespace fovea {
namespace {

using Ranges = std::vector<std::pair<int, int>>;

TEST(WordRanges, AreWhatStandsBetweenBlanks) {
  EXPECT_EQ(word_ranges(""), Ranges{});
  EXPECT_EQ(word_ranges(" \t\r"), Ranges{});
  EXPECT_EQ(word_ranges("ab c"), (Ranges{{0, 2}, {3, 4}}));
  EXPECT_EQ(word_ranges("  ä\tb "), (Ranges{{2, 4}, {5, 6}}));
}

TEST(Pharaoh, ReadsLinks) {
  EXPECT_EQ(read_pharaoh("0-0 1-2  12-3"),
            (WordLinks{{0, 0}, {1, 2}, {12, 3}}));
  EXPECT_EQ(read_pharaoh(""), WordLinks{});
  EXPECT_EQ(read_pharaoh(" \r"), WordLinks{});
}

TEST(Pharaoh, WritesLinks) {
  EXPECT_EQ(write_pharaoh({{0, 0}, {1, 2}, {12, 3}}), "0-0 1-2 12-3");
  EXPECT_EQ(write_pharaoh({}), "");
}

TEST(Pharaoh, RefusesEverythingElse) {
  for (const char* line : {"0", "0-", "-0", "0-0-0", "a-b", "0-1x", "0--1",
                           "-1-0", "0 - 0", "99999999999-0", "0-+1"}) {
    EXPECT_FALSE(read_pharaoh(line)) << line;
  }
}

TEST(TokenLinks, JoinTheTokensOfLinkedWords) {
  // "the cats" as the+c+ats, "die Katzen" as die+Kat+zen.
  const std::vector<Piece> source = {{5, 0, 3}, {6, 3, 5}, {7, 5, 8}};
  const std::vector<Piece> target = {{5, 0, 3}, {6, 3, 7}, {7, 7, 10}};
  EXPECT_EQ(token_links({{0, 0}, {1, 1}}, {"the cats", source},
                        {"die Katzen", target}),
            (TokenLinks{{0, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 2}}));
  // Words that are not there.
  EXPECT_EQ(token_links({{2, 0}, {0, 2}}, {"the cats", source},
                        {"die Katzen", target}),
            TokenLinks{});
  // A token that reaches over two words belongs to both.
  const std::vector<Piece> one = {{5, 0, 8}};
  EXPECT_EQ(
      token_links({{0, 0}, {1, 0}}, {"the cats", one}, {"die Katzen", target}),
      (TokenLinks{{0, 0}}));
  EXPECT_EQ(token_links({{1, 0}}, {"the cats", one}, {"die Katzen", target}),
            (TokenLinks{{0, 0}}));
}

// With words as tokens, words and tokens are the same.
RC_GTEST_PROP(TokenLinks, AreTheWordLinksIfTokensAreWords, ()) {
  set_log_level(LogLevel::kError);
  const Tokenizer words = Tokenizer::train({.unit = TextUnit::kWords},
                                           [](const auto& line) { line("a"); });
  const int from = *rc::gen::inRange(1, 6), to = *rc::gen::inRange(1, 6);
  std::string source, target;
  for (int i = 0; i < from; ++i) source += i % 2 ? "a " : " bb\t";
  for (int i = 0; i < to; ++i) target += i % 2 ? "a " : "ccc  ";
  TokenLinks links;
  for (int i = 0; i < from; ++i) {
    for (int j = 0; j < to; ++j) {
      if (*rc::gen::arbitrary<bool>()) links.emplace_back(i, j);
    }
  }
  const auto source_pieces = words.pieces(source);
  const auto target_pieces = words.pieces(target);
  RC_ASSERT(token_links(links, {source, source_pieces},
                        {target, target_pieces}) == links);
}

}  // namespace
}  // namespace fovea
