#include "fovea/base/stop.h"

#include <gtest/gtest.h>

#include <csignal>

namespace fovea {
namespace {

TEST(StopSignals, NoteASignalAndLetTheLoopEnd) {
  EXPECT_EQ(stop_signal(), 0);
  int steps = 0;
  {
    const StopSignals watch;
    for (; stop_signal() == 0; ++steps) {
      if (steps == 3) std::raise(SIGTERM);
    }
  }
  EXPECT_EQ(steps, 4);
  EXPECT_EQ(stop_signal(), SIGTERM);
}

TEST(StopSignalsDeathTest, ASecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        const StopSignals watch;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace fovea
