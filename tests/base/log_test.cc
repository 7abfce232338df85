#include "fovea/base/log.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

class Log : public ::testing::Test {
 protected:
  ~Log() override { set_log_level(LogLevel::kInfo); }

  // What is written to standard error, which is no terminal here.
  template <class Fn>
  std::string written(Fn fn) {
    ::testing::internal::CaptureStderr();
    fn();
    return ::testing::internal::GetCapturedStderr();
  }
};

TEST_F(Log, WritesOnePlainLineWithTheTime) {
  const std::string text = written([] { log_info("step ", 12, " of ", 30); });
  ASSERT_EQ(text.size(), std::string("[12:34:56] step 12 of 30\n").size());
  EXPECT_EQ(text.substr(10), " step 12 of 30\n");
}

TEST_F(Log, NamesTheLevelOfWhatIsNotNormal) {
  EXPECT_EQ(written([] { log_warning("slow"); }).substr(11), "warning: slow\n");
  EXPECT_EQ(written([] { log_error("bad"); }).substr(11), "error: bad\n");
}

TEST_F(Log, DropsWhatIsBelowTheLevel) {
  EXPECT_EQ(written([] { log_debug("detail"); }), "");
  set_log_level(LogLevel::kDebug);
  EXPECT_EQ(written([] { log_debug("detail"); }).substr(11), "debug: detail\n");
  set_log_level(LogLevel::kWarning);
  EXPECT_EQ(written([] { log_info("step"); }), "");
  set_log_level(LogLevel::kSilent);
  EXPECT_EQ(written([] { log_error("bad"); }), "");
}

TEST_F(Log, TakesBracesAsTheyAre) {
  EXPECT_EQ(written([] { log_info("{} %s {0}"); }).substr(11), "{} %s {0}\n");
}

}  // namespace
}  // namespace fovea
