#include "fovea/base/check.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(Check, ThrowsWithAllPartsAndItsKind) {
  try {
    check_data(false, "line ", 3, ": ", 'x');
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "line 3: x");
    EXPECT_EQ(error.kind(), ErrorKind::kData);
  }
}

TEST(Check, PassesWhatHolds) { EXPECT_NO_THROW(check(true, "never")); }

TEST(Error, IsOneLineWhateverItQuotes) {
  const Error error(ErrorKind::kUsage, "'a\nb\x1b[31m\x7f\xc3\xa9'");
  EXPECT_STREQ(error.what(), "'a\\nb\\x1b[31m\\x7f\xc3\xa9'");
}

}  // namespace
}  // namespace fovea
