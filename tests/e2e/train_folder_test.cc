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

}  // namespace
}  // namespace fovea
