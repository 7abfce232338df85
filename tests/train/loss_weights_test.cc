#include "fovea/train/loss_weights.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"

namespace fovea {
namespace {

std::string complaint(const std::string& text) {
  try {
    const LossWeights weights({text});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "nothing";
}

TEST(LossWeights, KeepsWhatIsNotNamed) {
  const LossWeights weights({"coverage=0.5"});
  EXPECT_EQ(weights["coverage"], 0.5);
  EXPECT_EQ(weights["gate_sparsity"], 0.001);
}

TEST(LossWeights, NamesAnUnknownLossAndTheNearestKnownOne) {
  EXPECT_NE(complaint("coverag=1").find("did you mean 'coverage'"),
            std::string::npos)
      << complaint("coverag=1");
  for (const char* text : {"coverage", "coverage=x", "coverage=-1"}) {
    EXPECT_NE(complaint(text).find("give name=number"), std::string::npos);
  }
}

}  // namespace
}  // namespace fovea
