// The command as its users meet it: what it prints, where, and how it exits.
#include "support/command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "fovea/base/version.h"

namespace fovea {
namespace {

using testing::Outcome;

Outcome fovea_command(const std::vector<std::string>& arguments,
                      const std::string& before = "") {
  return testing::run_command(FOVEA_COMMAND_PATH, arguments, before);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Contract: one line on standard error, nothing on standard output.
void expect_complaint(const Outcome& outcome, int code,
                      const std::vector<std::string>& parts) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("fovea: ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1)
      << outcome.err;
  for (const std::string& part : parts) {
    EXPECT_TRUE(contains(outcome.err, part)) << part << " in " << outcome.err;
  }
}

TEST(Command, PrintsItsVersion) {
  const Outcome outcome = fovea_command({"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "fovea " + version() + "\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(Command, HelpNamesCommandsAndExitCodes) {
  const Outcome outcome = fovea_command({"--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* part : {"info", "--threads", "--target", "Exit codes"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part;
  }
}

TEST(Command, HelpOfACommandNamesItsFlags) {
  const Outcome outcome = fovea_command({"info", "--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.out, "--json"));
}

TEST(Command, WithoutACommandShowsHelpAsWrongUsage) {
  const Outcome outcome = fovea_command({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(contains(outcome.err, "Commands:"));
}

TEST(Command, UnknownCommandSuggestsTheNearest) {
  expect_complaint(fovea_command({"inof"}), 2,
                   {"unknown command 'inof'", "did you mean 'info'?"});
}

TEST(Command, UnknownCommandFarFromAllSuggestsNone) {
  const Outcome outcome = fovea_command({"zzzzzzzz"});
  expect_complaint(outcome, 2, {"'zzzzzzzz'", "fovea --help"});
  EXPECT_FALSE(contains(outcome.err, "did you mean"));
}

TEST(Command, UnknownFlagSuggestsTheNearest) {
  expect_complaint(fovea_command({"info", "--jsn"}), 2,
                   {"unknown flag '--jsn'", "'--json'", "fovea info --help"});
}

TEST(Command, RefusesArgumentsThatMakeNoSense) {
  expect_complaint(fovea_command({"info", "--threads", "0"}), 2,
                   {"--threads 0", "from 1 to"});
  expect_complaint(fovea_command({"info", "--threads", "two"}), 2,
                   {"--threads", "two"});
  expect_complaint(fovea_command({"--target", "ABACUS", "info"}), 2,
                   {"'ABACUS'", "--target"});
  expect_complaint(fovea_command({"info"}, "FOVEA_TARGET=ABACUS"), 2,
                   {"'ABACUS'", "FOVEA_TARGET"});
}

TEST(Command, FailsWhenItsOutputCannotBeWritten) {
  const Outcome outcome = testing::run_command(
      "sh", {"-c", FOVEA_COMMAND_PATH " info > /dev/full"});
  expect_complaint(outcome, 4, {"standard output", "No space left"});
}

TEST(Command, CallsABadConfigFileBadData) {
  expect_complaint(fovea_command({"spell", "--config", "/no/such/file.yaml"}),
                   3, {"/no/such/file.yaml: there is no such file"});
  expect_complaint(
      fovea_command({"spell", "--config", "/dev/null", "--lr", "x"}), 2,
      {"--lr 'x' is not a number"});
}

#if !defined(FOVEA_SANITIZED)  // sanitizers need more addresses than that
TEST(Command, SaysWhenMemoryRunsOut) {
  const Outcome outcome =
      fovea_command({"spell", "--width", "2048"}, "ulimit -v 700000;");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(contains(outcome.err, "fovea: out of memory")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "use smaller batches")) << outcome.err;
}
#endif

TEST(Command, EndsCleanlyWhenASignalStopsIt) {
  const std::vector<std::string> forever = {"spell", "--steps", "1000000"};
  for (const auto& [signal, code] : {std::pair{"INT", 130}, {"TERM", 143}}) {
    const Outcome outcome = fovea_command(
        forever,
        std::string("timeout --preserve-status --signal=") + signal + " 1");
    EXPECT_EQ(outcome.code, code) << outcome.err;
  }
}

TEST(SpellCommand, MapsWhereItLooksInTheFirstWord) {
  const Outcome outcome = fovea_command(
      {"spell", "--steps", "2", "--batch", "2", "--width", "8", "abc", "de"},
      "COLORTERM=truecolor TERM=xterm-256color");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"  abc -> ", "  de -> ", "spells \"abc\" backwards",
        "\n       a b c  \n", "\n(end) |", "0 [ .:-=+*#%@] 1",
        "not by itself an explanation"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  }
  // What goes into a file is plain, whatever the terminal can do.
  EXPECT_FALSE(contains(outcome.out, "\033"));
}

TEST(InfoCommand, ShowsWhatABugReportNeeds) {
  const Outcome outcome = fovea_command({"info"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* part : {"fovea ", "cpu ", "kernels ", "threads ", "OpenBLAS",
                           "oneDNN", "memory ", "GiB"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part;
  }
}

TEST(InfoCommand, HonoursThreadsAndTarget) {
  const Outcome outcome =
      fovea_command({"info", "--json", "--threads", "3", "--target", "SSE4"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.out, "\"threads\": 3"));
  EXPECT_TRUE(contains(outcome.out, "\"target\": \"SSE4\""));
}

TEST(InfoCommand, ReadsTheTargetFromTheEnvironment) {
  const Outcome outcome = fovea_command({"info"}, "FOVEA_TARGET=SSE4");
  EXPECT_TRUE(contains(outcome.out, "kernels   SSE4")) << outcome.out;
}

}  // namespace
}  // namespace fovea
