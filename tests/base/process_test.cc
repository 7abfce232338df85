#include "fovea/base/process.h"

#include <gtest/gtest.h>

#include <vector>

namespace fovea {
namespace {

TEST(Process, MemoryThatIsUsedIsResident) {
  const int64_t before = resident_bytes();
  EXPECT_GT(before, 1 << 20);
  constexpr int64_t kBytes = int64_t{64} << 20;
  const std::vector<char> used(kBytes, 1);
  EXPECT_GE(resident_bytes() - before, kBytes / 2 * used.back());
}

}  // namespace
}  // namespace fovea
