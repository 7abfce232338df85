#include "fovea/decode/replace_unknown.h"

#include <gtest/gtest.h>

#include <vector>

namespace fovea {
namespace {

constexpr int kUnknown = 0;

class ReplaceUnknown : public ::testing::Test {
 protected:
  // Two unknown words, which look at the second and the first word.
  JoinedText text_{"<unk> is <unk>",
                   {{kUnknown, 0, 5}, {7, 5, 8}, {kUnknown, 8, 14}}};
  std::vector<Piece> tokens_{{3, 0, 3}, {4, 3, 5}, {5, 5, 8}};
  std::vector<float> weights_{0.4f, 0.3f, 0.3f, 0, 0,    0,
                              1,    0,    0.5f, 0, 0.1f, 0.4f};
  const AttendedSource source_{"Bob Ånn", tokens_, weights_};
};

TEST_F(ReplaceUnknown, PutsTheSourceWordThatHasMostWeight) {
  replace_unknown(text_, {kUnknown}, source_, {});
  EXPECT_EQ(text_.text, "Ånn is Bob");
  EXPECT_EQ(text_.pieces[0], (Piece{kUnknown, 0, 4}));
  EXPECT_EQ(text_.pieces[1], (Piece{7, 4, 7}));
  EXPECT_EQ(text_.pieces[2], (Piece{kUnknown, 7, 11}));
}

TEST_F(ReplaceUnknown, AsksTheDictionaryFirst) {
  replace_unknown(text_, {kUnknown}, source_, {{"Bob", "Robert der Große"}});
  EXPECT_EQ(text_.text, "Ånn is Robert der Große");
}

TEST_F(ReplaceUnknown, LeavesWhatWasGiven) {
  put_word(text_, 0, "Åsa");
  EXPECT_EQ(text_.text, "Åsa is <unk>");
  replace_unknown(text_, {kUnknown, 1}, source_, {});
  EXPECT_EQ(text_.text, "Åsa is Bob");
}

TEST_F(ReplaceUnknown, LeavesTheTextWithoutAttention) {
  replace_unknown(text_, {kUnknown}, {"Bob Ånn", tokens_, {}}, {});
  EXPECT_EQ(text_.text, "<unk> is <unk>");
}

}  // namespace
}  // namespace fovea
