#include "fovea/explain/word_order.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

using Order = std::vector<size_t>;

TEST(WordOrder, AWordHasTheDirectionOfItsFirstLetter) {
  EXPECT_EQ(direction_of("\"cat"), Direction::kLeftToRight);
  EXPECT_EQ(direction_of("(חתול"), Direction::kRightToLeft);
  EXPECT_EQ(direction_of("قطة"), Direction::kRightToLeft);
  EXPECT_EQ(direction_of("猫"), Direction::kLeftToRight);
  EXPECT_EQ(direction_of("élan"), Direction::kLeftToRight);
  EXPECT_EQ(direction_of("3.14"), Direction::kNone);
  EXPECT_EQ(direction_of("…"), Direction::kNone);
}

TEST(WordOrder, ASentenceHasThatOfItsFirstWordWithLetters) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(direction_of(Words{"3", "חתולים", "cats"}),
            Direction::kRightToLeft);
  EXPECT_EQ(direction_of(Words{"3"}), Direction::kLeftToRight);
}

TEST(WordOrder, TurnsRunsOfTheOtherDirectionAround) {
  const std::vector<std::string> english = {"say", "שלום", "3", "לך", "now"};
  EXPECT_EQ(written_order(english, Direction::kLeftToRight),
            (Order{0, 3, 2, 1, 4}));
  const std::vector<std::string> hebrew = {"אני", "big", "cat", "5", "קטן"};
  EXPECT_EQ(written_order(hebrew, Direction::kRightToLeft),
            (Order{0, 2, 1, 3, 4}));
}

}  // namespace
}  // namespace fovea
