#include "fovea/base/stop.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace fovea {
namespace {

TEST(StopSignals, NoteASignalAndLetTheLoopEnd) {
  EXPECT_EQ(stop_signal(), 0);
  int steps = 0;
  {
    const StopSignals watch;
    for (; stop_signal() == 0; ++steps) {
      if (steps == 3) ::raise(SIGTERM);
    }
  }
  EXPECT_EQ(steps, 4);
  EXPECT_EQ(stop_signal(), SIGTERM);
}

// oneDNN's products use the register of the stack for other things.
TEST(StopSignals, AreHandledOnAStackOfTheirOwn) {
  const StopSignals watch;
  const HangupSignal hangup;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    ASSERT_EQ(::sigaction(signal, nullptr, &action), 0);
    EXPECT_TRUE(action.sa_flags & SA_ONSTACK) << signal;
  }
  stack_t stack{};
  ASSERT_EQ(::sigaltstack(nullptr, &stack), 0);
  EXPECT_FALSE(stack.ss_flags & SS_DISABLE);
  EXPECT_GE(stack.ss_size, 1u << 16);
}

TEST(StopSignalsDeathTest, ASecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        const StopSignals watch;
        ::raise(SIGINT);
        ::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace fovea
