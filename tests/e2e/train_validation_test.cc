// The text by which fovea train judges: there must be some.
#include "e2e/train_command.h"

namespace fovea {
namespace {

using namespace fovea::testing;

TEST_F(TrainCommand, ValidationTextWithNothingUsableIsNamed) {
  for (const char* text : {"", "\n\n"}) {
    std::ofstream(path("valid.src")) << text;
    std::ofstream(path("valid.tgt")) << text;
    const Outcome o = train("model");
    EXPECT_EQ(o.code, 3) << o.err;
    EXPECT_NE(o.err.find("valid.src:1: nothing-left"), std::string::npos)
        << o.err;
  }
  // By words the lines are short enough; by characters none is.
  std::ofstream(path("valid.src")) << "the cat sees\n";
  std::ofstream(path("valid.tgt")) << "sees cat the\n";
  const Outcome longer =
      train("model", {"--text-unit", "characters", "--max-length", "8"});
  EXPECT_EQ(longer.code, 3) << longer.err;
  EXPECT_NE(longer.err.find("valid.src: no pair to judge by"),
            std::string::npos)
      << longer.err;
}

TEST_F(TrainCommand, SaysHowManyPairsTheLossLeavesOut) {
  std::ofstream(path("valid.src"), std::ios::app) << "\nthe cat\n";
  std::ofstream(path("valid.tgt"), std::ios::app) << "a\n\n";
  const Outcome o = train("model", {"--max-steps", "1"});
  EXPECT_EQ(o.code, 0) << o.err;
  for (const char* message :
       {"2 times empty-side (lines without text): kept, since they are held "
        "out",
        "validation: 2 pairs are longer than what --batch-tokens 200 can hold, "
        "or without a token: left out of the loss"}) {
    EXPECT_NE(o.err.find(message), std::string::npos) << o.err;
  }
}

}  // namespace
}  // namespace fovea
