#include "fovea/explain/token_text.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

using Texts = std::vector<std::string>;

TEST(TokenText, DropsTheMarkOfAWord) {
  EXPECT_EQ(token_texts(Texts{"▁un", "believable", "▁", "</s>"}),
            (Texts{"un", "believable", "␣", "</s>"}));
}

TEST(TokenText, TellsWhichCharacterBytesMake) {
  EXPECT_EQ(token_texts(Texts{"<0xC3>", "<0xa9>", "<0x41>", "x"}),
            (Texts{"é 1/2", "é 2/2", "A", "x"}));
}

TEST(TokenText, LeavesBytesThatMakeNoHarmlessCharacter) {
  const Texts odd = {"<0xA9>", "<0xC3>", "x", "<0x0A>", "<0x1B>", "<0xE2>"};
  EXPECT_EQ(token_texts(odd), odd);
  EXPECT_EQ(token_texts(Texts{}), Texts{});
}

}  // namespace
}  // namespace fovea
