#include "fovea/data/line_hashes.h"

#include <gtest/gtest.h>

#include "fovea/data/hash.h"

namespace fovea {
namespace {

TEST(LineHashes, FindsEachRepetitionAndItsFirstLine) {
  LineHashes lines;
  for (const char* text : {"a", "b", "a", "c", "b", "a"}) {
    lines.add(text_hash(text));
  }
  const auto found = lines.repetitions();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].line, 2);
  EXPECT_EQ(found[0].first, 0);
  EXPECT_EQ(found[1].line, 4);
  EXPECT_EQ(found[1].first, 1);
  EXPECT_EQ(found[2].line, 5);
  EXPECT_EQ(found[2].first, 0);
}

TEST(LineHashes, LeavesOutLinesLikeNoOther) {
  LineHashes lines;
  lines.add_none();
  lines.add(0);
  lines.add_none();
  lines.add(0);
  const auto found = lines.repetitions();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line, 3);
  EXPECT_TRUE(LineHashes().repetitions().empty());
}

// Files hold this number: it must never change.
TEST(TextHash, IsTheSameOnEveryMachine) {
  EXPECT_EQ(text_hash("fovea"), 0x5ddc3f4109cfc02au);
  EXPECT_NE(text_hash("fovea"), text_hash("foveb"));
  EXPECT_NE(text_hash(""), text_hash(std::string_view("\0", 1)));
}

}  // namespace
}  // namespace fovea
