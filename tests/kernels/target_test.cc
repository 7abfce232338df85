#include "fovea/kernels/target.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/base/check.h"

namespace fovea::kernels {
namespace {

TEST(Target, TheBestIsInUseUntilAnotherIsChosen) {
  const std::vector<std::string> all = supported_targets();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(current_target(), all.front());
  for (const std::string& name : all) {
    use_target(name);
    EXPECT_EQ(current_target(), name);
    EXPECT_EQ(supported_targets(), all);
    EXPECT_EQ(use_vnni(), name.find("VNNI") != std::string::npos) << name;
  }
  use_target(all.front());
}

// Whoever has VNNI has the plain products, too.
TEST(Target, NamesVnniBesideWhatItBelongsTo) {
  const std::vector<std::string> all = supported_targets();
  for (const std::string& name : all) {
    const std::string plain = name.substr(0, name.find('+'));
    EXPECT_NE(std::ranges::find(all, plain), all.end()) << name;
  }
}

TEST(Target, UnknownOnesAreRefused) {
  const std::string before = current_target();
  EXPECT_THROW(use_target("AVX9"), Error);
  EXPECT_EQ(current_target(), before);
}

}  // namespace
}  // namespace fovea::kernels
