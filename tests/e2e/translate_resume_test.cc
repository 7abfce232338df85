// fovea translate into files: whole or not at all, stopped and continued.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "e2e/translate_command.h"
#include "fovea/base/rng.h"

namespace fovea {
namespace {

using namespace fovea::testing;
namespace fs = std::filesystem;

TEST_F(TranslateCommand, WritesAFileOnlyWhenItIsWhole) {
  folder_.write("in", lines_text(nasty_lines()));
  const std::string text = translate({path("in")}).out;
  folder_.write("out", "old");
  const Outcome o = translate({path("in"), "-o", path("out")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(bytes_of(path("out")), text);
  EXPECT_FALSE(fs::exists(path("out.part")));
  EXPECT_NE(o.err.find("translate 19/19 100%"), std::string::npos) << o.err;
}

TEST_F(TranslateCommand, GoesOnFromAnyByteOfAnUnfinishedFile) {
  Texts in = nasty_lines();
  in.erase(in.begin() + 4, in.begin() + 6);  // the long ones take their time
  folder_.write("in", lines_text(in));
  const std::vector<Texts> ways = {
      {}, {"--n-best", "2", "--sample"}, {"--format", "json"}};
  for (Texts way : ways) {
    way.insert(way.begin(), path("in"));
    const std::string whole = translate(way).out;
    for (const char* more : {"-o", "out", "--resume"}) way.push_back(more);
    way[way.size() - 2] = path("out");
    for (int i = 0; i <= 8; ++i) {
      const size_t bytes = i == 8 ? whole.size() : whole.size() * i / 8 + i;
      folder_.write("out.part", whole.substr(0, bytes));
      const Outcome o = translate(way);
      ASSERT_EQ(o.code, 0) << o.err;
      EXPECT_EQ(bytes_of(path("out")), whole) << bytes;
    }
  }
}

TEST_F(TranslateCommand, RefusesAPartThatDoesNotFit) {
  folder_.write("in", "the cat\n");
  folder_.write("out.part", "one\ntwo\n");
  expect(translate({path("in"), "-o", path("out")}), 2, "--resume");
  expect(translate({path("in"), "-o", path("out"), "--resume"}), 3,
         "the input has less");
  expect(
      translate({path("in"), "-o", path("out"), "--resume", "--n-best", "2"}),
      3, "no n-best list");
  EXPECT_EQ(bytes_of(path("out.part")), "one\ntwo\n");
  expect(translate({path("in"), "--resume"}), 2, "-o");
}

TEST_F(TranslateCommand, AWrongCallStandsInNobodysWay) {
  folder_.write("in", "the cat\n");
  folder_.write("out", "old");
  fs::permissions(path("out"), fs::perms::owner_read | fs::perms::owner_write);
  const std::vector<std::pair<Texts, std::string>> wrong = {
      {{"--shortlist"}, "no shortlist"},
      {{"--max-input", "-1"}, "--max-input"},
      {{"--batch-size", "0"}, "--batch-size"},
      {{"--alignment", "hard", "--alignment-head", "99"}, "head 99"}};
  for (auto [flags, message] : wrong) {
    flags.insert(flags.begin(), {path("in"), "-o", path("out")});
    expect(translate(flags), 2, message);
    EXPECT_FALSE(fs::exists(path("out.part"))) << message;
  }
  expect(translate({path("in"), "-o", path("out"), "--json"}), 3, "in:1");
  EXPECT_EQ(bytes_of(path("out")), "old");
  EXPECT_EQ(translate({path("in"), "-o", path("out")}).code, 0);
  EXPECT_EQ(fs::status(path("out")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(TranslateCommand, RefusesAPartOfAnotherRun) {
  write_model_folder(model_, {.unit = TextUnit::kWords});
  const Texts in(20, "the cat sees two birds");
  folder_.write("in", lines_text(in));
  const std::string whole = translate({path("in")}).out;
  const std::string some = whole.substr(0, whole.find('\n') * 7 + 7);
  const auto refused = [&](const Texts& more) {
    SCOPED_TRACE(join(more.empty() ? "" : more.front()));
    folder_.write("out.part", some);
    Texts flags = {path("in"), "-o", path("out"), "--resume"};
    flags.insert(flags.end(), more.begin(), more.end());
    expect(translate(flags), 3, "was it another model, input or format");
    EXPECT_EQ(bytes_of(path("out.part")), some);
  };
  refused({"--format", "json"});
  refused({"--with-score"});
  refused({"--max-length", "3"});
  write_model_folder(model_, {.unit = TextUnit::kWords, .seed = 99});
  refused({});
  write_model_folder(model_, {.unit = TextUnit::kWords});
  folder_.write("in", lines_text(Texts(20, "my dog is watching 12 houses")));
  refused({});
  // Blank lines at the end tell nothing, those before do.
  folder_.write("in", "the cat sees two birds\n\n\nmy dog\n");
  folder_.write("out.part", "something else\n\n\n");
  expect(translate({path("in"), "-o", path("out"), "--resume"}), 3, "another");
}

TEST_F(TranslateCommand, TwoRunsDoNotShareAFile) {
  folder_.write("in", "the cat\n");
  folder_.write("out.part", "");
  const std::string held = join("exec 9>>", path("out.part"), "; flock -x 9;");
  const Texts flags = {path("in"), "-o", path("out"), "--resume"};
  expect(translate(flags, held), 1, "another process is writing it");
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_EQ(translate(flags).code, 0);
}

class LongTranslateCommand : public TranslateCommand {
 protected:
  // Starts it, and sends a signal after a while; its exit code.
  int start_and_signal(const Texts& more, int milliseconds, int signal) const {
    return run_and_signal(FOVEA_COMMAND_PATH, arguments("translate", more),
                          milliseconds, signal);
  }

  std::string write_many(int count) const {
    Texts lines;
    for (int i = 0; i < count; ++i) {
      const RandomKey key = RandomKey(4).with(i);
      std::string line;
      for (uint32_t w = 0; w < 1 + random_below(key, 0, 9); ++w) {
        line += join(w > 0 ? " " : "", "w", random_below(key, 1 + w, 50));
      }
      lines.push_back(line);
    }
    return folder_.write("many", lines_text(lines));
  }
  Texts flags(const std::string& out) const {
    return {model_,     path("many"), "-o", path(out),     "--beam-size", "2",
            "--resume", "--n-best",   "2",  "--alignment", "hard"};
  }
};

TEST_F(LongTranslateCommand, KilledAtAnyMomentItGoesOnToTheSameBytes) {
  write_many(9000);
  ASSERT_EQ(
      run_command(FOVEA_COMMAND_PATH, arguments("translate", flags("whole")))
          .code,
      0);
  int killed = 0;
  uintmax_t left = 0;
  // A busy machine needs longer until there is something to lose.
  for (uint32_t i = 0; i < 4 || (left == 0 && i < 8); ++i) {
    const int most = i < 4 ? 600 : 600 << (i - 2);
    const int wait =
        150 + static_cast<int>(random_below(RandomKey(8), i, most));
    killed += start_and_signal(flags("killed"), wait, SIGKILL) == 137;
    if (fs::exists(path("killed.part"))) {
      left = std::max(left, fs::file_size(path("killed.part")));
    }
    if (fs::exists(path("killed"))) break;
  }
  EXPECT_GT(killed, 0);
  EXPECT_GT(left, 0u) << "lines that were done were lost";
  const Outcome last =
      run_command(FOVEA_COMMAND_PATH, arguments("translate", flags("killed")));
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(bytes_of(path("killed")), bytes_of(path("whole")));
}

TEST_F(LongTranslateCommand, ASignalStopsItCleanly) {
  write_many(30000);
  for (const int signal : {SIGINT, SIGTERM}) {
    // A busy machine needs longer until the first lines are written.
    for (int wait = 600;; wait *= 2) {
      const int code = start_and_signal(flags("stopped"), wait, signal);
      if (code == 0) GTEST_SKIP() << "it was done before the signal came";
      ASSERT_EQ(code, 128 + signal);
      if (fs::exists(path("stopped.part")) &&
          fs::file_size(path("stopped.part")) > 0) {
        break;
      }
      ASSERT_LT(wait, 10000) << "no line was kept";
    }
    EXPECT_FALSE(fs::exists(path("stopped")));
  }
}

TEST_F(TranslateCommand, AFullDiskLeavesTheOldFileAndAPartToGoOnFrom) {
  // All weights of many words need more room than the warnings.
  std::string words;
  for (int i = 0; i < 40; ++i) words += join("w", i, " ");
  folder_.write("in", lines_text(Texts(150, words)));
  folder_.write("out", "old");
  const Texts flags = {path("in"), "-o",          path("out"),
                       "--resume", "--alignment", "soft"};
  const Outcome full = translate(flags, "trap \"\" XFSZ; ulimit -f 100;");
  expect(full, 4, "out.part");
  EXPECT_EQ(bytes_of(path("out")), "old");
  const std::string part = bytes_of(path("out.part"));
  EXPECT_GT(part.size(), 40000u) << "there was room for more";
  EXPECT_TRUE(part.ends_with("\n"));
  const Outcome again = translate(flags);
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(bytes_of(path("out")),
            translate({path("in"), "--alignment", "soft"}).out);
  expect(translate({path("in"), "-o", "/dev/full"}), 4, "/dev/full");
  expect(translate({path("in"), "--with-score"}, "exec > /dev/full;"), 4,
         "standard output");
}

}  // namespace
}  // namespace fovea
