#include "fovea/base/progress.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

// A terminal or a file, and a clock that moves by hand.
struct Screen {
  double now = 100;
  int width = 80;
  std::string text;

  ProgressOptions options(bool terminal) {
    ProgressOptions options;
    options.terminal = terminal;
    options.width = [this] { return width; };
    options.seconds = [this] { return now; };
    options.write = [this](std::string_view s) { text += s; };
    return options;
  }
};

TEST(Progress, ShowsStepTotalRateAndTimeLeft) {
  Screen screen;
  Progress progress("train", 500, screen.options(true));
  screen.now += 3;
  progress.update(120, "loss 0.42");
  EXPECT_EQ(screen.text,
            "\rtrain 120/500 24% 40.0 steps/s 0:10 left loss 0.42\033[K");
}

TEST(Progress, CountsTheRateFromWhereAnEarlierRunStopped) {
  Screen screen;
  ProgressOptions options = screen.options(true);
  options.first = 450;
  Progress progress("train", 500, options);
  screen.now += 4;
  progress.update(470);
  EXPECT_EQ(screen.text, "\rtrain 470/500 94% 5.0 steps/s 0:06 left\033[K");
  screen.text.clear();
  screen.now += 6;
  progress.update(500);
  progress.finish();
  EXPECT_TRUE(
      screen.text.ends_with("\rtrain 500/500 100% 5.0 steps/s in 0:10\033[K\n"))
      << screen.text;
}

TEST(Progress, RewritesOneLineInATerminalAtAModestRate) {
  Screen screen;
  Progress progress("train", 1000, screen.options(true));
  for (int i = 1; i <= 1000; ++i) {
    screen.now += 0.001;
    progress.update(i);
  }
  progress.finish();
  const auto lines = std::count(screen.text.begin(), screen.text.end(), '\r');
  EXPECT_GE(lines, 5);
  EXPECT_LE(lines, 12);
  EXPECT_EQ(std::count(screen.text.begin(), screen.text.end(), '\n'), 1);
  EXPECT_TRUE(screen.text.ends_with(
      "\rtrain 1000/1000 100% 1000 steps/s in 0:01\033[K\n"))
      << screen.text;
}

TEST(Progress, NeverFillsTheLastColumnOfTheTerminal) {
  Screen screen;
  screen.width = 20;
  Progress progress("träining", 500, screen.options(true));
  screen.now += 3;
  progress.update(120, "a long note that does not fit");
  EXPECT_EQ(screen.text, "\rträining 120/500 24\033[K");
}

TEST(Progress, WritesPlainLinesSeldomWhenThereIsNoTerminal) {
  Screen screen;
  Progress progress("train", 60, screen.options(false));
  for (int i = 1; i <= 60; ++i) {
    screen.now += 1;
    progress.update(i);
  }
  progress.finish();
  EXPECT_EQ(screen.text.find('\r'), std::string::npos);
  EXPECT_EQ(screen.text.find('\033'), std::string::npos);
  EXPECT_EQ(std::count(screen.text.begin(), screen.text.end(), '\n'), 7);
  EXPECT_TRUE(
      screen.text.starts_with("train 10/60 16% 1.0 steps/s 0:50 left\n"))
      << screen.text;
}

TEST(Progress, KnowsNoEndWithoutATotal) {
  Screen screen;
  Progress progress("read", 0, screen.options(true));
  screen.now += 2;
  progress.update(5000);
  EXPECT_EQ(screen.text, "\rread 5000 2500 steps/s\033[K");
}

TEST(Progress, SaysNothingWhenNothingHappened) {
  Screen screen;
  { Progress progress("train", 10, screen.options(true)); }
  EXPECT_EQ(screen.text, "");
}

TEST(Progress, FinishesOnce) {
  Screen screen;
  {
    Progress progress("train", 10, screen.options(false));
    screen.now += 5;
    progress.update(10);
    progress.finish();
  }
  EXPECT_EQ(screen.text, "train 10/10 100% 2.0 steps/s in 0:05\n");
}

TEST(DurationText, ReadsLikeAClock) {
  EXPECT_EQ(duration_text(0), "0:00");
  EXPECT_EQ(duration_text(9.4), "0:09");
  EXPECT_EQ(duration_text(754), "12:34");
  EXPECT_EQ(duration_text(3723), "1:02:03");
  EXPECT_EQ(duration_text(-5), "0:00");
}

}  // namespace
}  // namespace fovea
