// The folder of a training run: what stops it, and what may go on in it.
#include "e2e/train_command.h"

namespace fovea {
namespace {

using namespace fovea::testing;
namespace fs = std::filesystem;

// The checkpoint of the only step comes after its validation, or when that is
// abandoned.
TEST_F(TrainCommand, ASignalEndsALongValidation) {
  write("valid", 20000, 2);
  const std::vector<std::string> once =
      arguments("model", {"--max-steps", "1", "--valid-freq", "1"});
  int code = 0;
  for (int wait = 400; wait < 20000; wait += wait / 2) {
    fs::remove_all(path("model"));
    code = run_and_signal(FOVEA_COMMAND_PATH, once, wait, SIGINT);
    if (fs::exists(path("model/checkpoints/step-1"))) break;
  }
  EXPECT_EQ(code, 130);
  EXPECT_EQ(read_text(path("model/history.jsonl")), "");
}

TEST_F(TrainCommand, GoesOnUnderAnotherNameAndWithAnotherClock) {
  ASSERT_EQ(train("whole").code, 0);
  int code = 0;
  // Steps smaller than a run takes from its first checkpoint to its end.
  for (int wait = 50; code != 143 && wait < 4000; wait += 25 + wait / 40) {
    fs::remove_all(path("before"));
    code = start_and_signal("before", wait, SIGTERM);
    if (!fs::exists(path("before/state.yaml"))) code = 0;
  }
  ASSERT_EQ(code, 143);
  fs::rename(path("before"), path("after"));
  const Outcome moved =
      train("after", {"--out", path("after/"), "--save-minutes", "2"});
  ASSERT_EQ(moved.code, 0) << moved.err;
  EXPECT_EQ(weights("after"), weights("whole"));
  EXPECT_NE(train("after").err.find("this run is finished"), std::string::npos);
}

TEST_F(TrainCommand, AModelIsReplacedOnlyOnRequest) {
  ASSERT_EQ(train("model").code, 0);
  const std::string before = read_text(path("model/model.safetensors"));
  fs::remove_all(path("model/checkpoints"));
  const Outcome finished = train("model");
  EXPECT_EQ(finished.code, 0);
  EXPECT_NE(finished.err.find("this run is finished"), std::string::npos)
      << finished.err;
  fs::remove(path("model/state.yaml"));
  const Outcome refused = train("model");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--overwrite"), std::string::npos) << refused.err;
  EXPECT_EQ(read_text(path("model/model.safetensors")), before);
  EXPECT_EQ(train("model", {"--seed", "2", "--overwrite"}).code, 0);
  EXPECT_NE(read_text(path("model/model.safetensors")), before);
}

}  // namespace
}  // namespace fovea
