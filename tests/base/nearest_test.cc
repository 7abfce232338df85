#include "fovea/base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace fovea {
namespace {

const std::vector<std::string> kWords = {"info", "train", "translate"};

TEST(Nearest, FindsWordsWithAFewSlips) {
  EXPECT_EQ(nearest("inof", kWords), "info");
  EXPECT_EQ(nearest("trian", kWords), "train");
  EXPECT_EQ(nearest("tranlsate", kWords), "translate");
  EXPECT_EQ(nearest("translat", kWords), "translate");
}

TEST(Nearest, FindsNothingFarAway) {
  EXPECT_EQ(nearest("zzz", kWords), "");
  EXPECT_EQ(nearest("", kWords), "");
  EXPECT_EQ(nearest("info", {}), "");
  EXPECT_EQ(nearest(std::string(1000000, 'a'), kWords), "");
}

TEST(Nearest, AsksWhetherThatWasMeant) {
  EXPECT_EQ(did_you_mean("inof", kWords), " (did you mean 'info'?)");
  EXPECT_EQ(did_you_mean("zzz", kWords), "");
}

}  // namespace
}  // namespace fovea
