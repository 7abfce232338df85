// SPEC D32: every family of decoders learns a task that has one right answer,
// from text to translations, by the command alone.
#include <gtest/gtest.h>

#include <ostream>

#include "fovea/io/text_file.h"
#include "support/command.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;

struct Learnt {
  const char *preset, *task, *width, *steps;
};
std::ostream& operator<<(std::ostream& out, const Learnt& learnt) {
  return out << learnt.preset << " " << learnt.task;
}

class LongTrainTasks : public ::testing::TestWithParam<Learnt> {
 protected:
  void make(const std::string& task, const std::string& part,
            const std::string& lines) const {
    ASSERT_EQ(fovea({"make-data", task, "--lines", lines, "--part", part,
                     "--symbols", "8", "--min-length", "1", "--max-length", "5",
                     "--out", folder_.file(part)})
                  .code,
              0);
  }
  static Outcome fovea(const std::vector<std::string>& arguments) {
    return run_command(FOVEA_COMMAND_PATH, arguments);
  }

  TempFolder folder_;
};

TEST_P(LongTrainTasks, AreSolvedWithoutAMistake) {
  const Learnt& learnt = GetParam();
  make(learnt.task, "train", "4000");
  make(learnt.task, "test", "200");
  const auto file = [&](const char* name) { return folder_.file(name); };
  const Outcome trained = fovea({"train",
                                 "--threads",
                                 "1",
                                 "--src",
                                 file("train.src"),
                                 "--tgt",
                                 file("train.tgt"),
                                 "--valid-src",
                                 file("test.src"),
                                 "--valid-tgt",
                                 file("test.tgt"),
                                 "--text-unit",
                                 "words",
                                 "--preset",
                                 learnt.preset,
                                 "--width",
                                 learnt.width,
                                 "--max-steps",
                                 learnt.steps,
                                 "--valid-freq",
                                 "100",
                                 "--batch-tokens",
                                 "600",
                                 "--dropout",
                                 "0",
                                 "--lr",
                                 "0.005",
                                 "--schedule",
                                 "cosine",
                                 "--lr-warmup",
                                 "100",
                                 "--out",
                                 file("model")});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Outcome translated =
      fovea({"translate", file("model"), file("test.src")});
  EXPECT_EQ(translated.out, read_text(file("test.tgt")));
}

INSTANTIATE_TEST_SUITE_P(
    Decoders, LongTrainTasks,
    ::testing::Values(Learnt{"transformer-mini", "sort", "32", "500"},
                      Learnt{"rnnsearch-tiny", "reverse", "64", "500"},
                      Learnt{"luong-tiny", "copy", "64", "800"},
                      Learnt{"gnmt-tiny", "reverse", "48", "500"},
                      Learnt{"convs2s-tiny", "sort", "32", "500"},
                      Learnt{"bottleneck-tiny", "copy", "64", "500"}),
    [](const ::testing::TestParamInfo<Learnt>& given) {
      const std::string name = given.param.preset;
      return name.substr(0, name.find('-'));
    });

// Who, what and whom are three words: BLEU is 0 whatever the model writes.
TEST(LongTrainShortTargets, TheModelThatIsKeptHasLearnt) {
  const TempFolder folder;
  const auto file = [&](const char* name) { return folder.file(name); };
  const auto fovea = [](const std::vector<std::string>& arguments) {
    return run_command(FOVEA_COMMAND_PATH, arguments);
  };
  for (const char* part : {"train", "test"}) {
    const char* lines = part == std::string("train") ? "2000" : "100";
    ASSERT_EQ(fovea({"make-data", "roles", "--lines", lines, "--part", part,
                     "--out", file(part)})
                  .code,
              0);
  }
  const Outcome trained = fovea({"train",
                                 "--threads",
                                 "1",
                                 "--src",
                                 file("train.src"),
                                 "--tgt",
                                 file("train.tgt"),
                                 "--valid-src",
                                 file("test.src"),
                                 "--valid-tgt",
                                 file("test.tgt"),
                                 "--text-unit",
                                 "words",
                                 "--preset",
                                 "transformer-mini",
                                 "--max-steps",
                                 "500",
                                 "--valid-freq",
                                 "50",
                                 "--early-stopping",
                                 "5",
                                 "--batch-tokens",
                                 "600",
                                 "--lr-warmup",
                                 "100",
                                 "--out",
                                 file("model")});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_NE(trained.err.find("chrF decides"), std::string::npos);
  const Outcome translated =
      fovea({"translate", file("model"), file("test.src")});
  EXPECT_EQ(translated.out, read_text(file("test.tgt")));
}

}  // namespace
}  // namespace fovea
