#include "fovea/base/terminal.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

constexpr const char* kTerm = "xterm-256color";

TEST(ColorMode, IsTruecolorOnlyIfTheTerminalSaysSo) {
  EXPECT_EQ(color_mode({true, "", "truecolor", kTerm}), ColorMode::kTruecolor);
  EXPECT_EQ(color_mode({true, "", "24bit", kTerm}), ColorMode::kTruecolor);
  EXPECT_EQ(color_mode({true, "", "yes", kTerm}), ColorMode::k256);
  EXPECT_EQ(color_mode({true, "", "", kTerm}), ColorMode::k256);
}

TEST(ColorMode, IsPlainWhereColourIsNotWanted) {
  const char* many = "truecolor";
  EXPECT_EQ(color_mode({false, "", many, kTerm}), ColorMode::kPlain);
  EXPECT_EQ(color_mode({true, "1", many, kTerm}), ColorMode::kPlain);
  EXPECT_EQ(color_mode({true, "", many, "dumb"}), ColorMode::kPlain);
  EXPECT_EQ(color_mode({true, "", many, ""}), ColorMode::kPlain);
}

TEST(TerminalWidth, IsNeverNothing) { EXPECT_GT(terminal_width(), 0); }

}  // namespace
}  // namespace fovea
