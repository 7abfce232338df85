#include "fovea/data/naacl.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

namespace fovea {
namespace {

TEST(Naacl, ReadsLinksCountedFromOne) {
  EXPECT_EQ(read_naacl("1 1 1"), (NaaclLink{0, 0, 0, true}));
  EXPECT_EQ(read_naacl("0012 3 4 S"), (NaaclLink{11, 2, 3, true}));
  EXPECT_EQ(read_naacl(" 12\t3 4 P \r"), (NaaclLink{11, 2, 3, false}));
  EXPECT_EQ(read_naacl("12 3 4 P 0.75"), (NaaclLink{11, 2, 3, false}));
  EXPECT_EQ(read_naacl("12 3 4 0.5"), (NaaclLink{11, 2, 3, true}));
}

TEST(Naacl, RefusesWhatIsNoLink) {
  for (const char* bad :
       {"", "1 1", "1-1", "0 1 1", "1 0 1", "1 1 0", "1 1 -1", "x 1 1",
        "1 1 1 Q", "1 1 1 S x", "1 1 1 S 0.5 9", "1 99999999999 1", "1 1 1x"}) {
    EXPECT_FALSE(read_naacl(bad)) << bad;
  }
}

TEST(Naacl, WritesALineForEachLink) {
  EXPECT_EQ(write_naacl(0, {}), "");
  EXPECT_EQ(write_naacl(4, {{0, 2}, {1, 0}}), "5 1 3 S\n5 2 1 S\n");
}

RC_GTEST_PROP(Naacl, ReadsWhatItWrote, ()) {
  const auto links = *rc::gen::container<WordLinks>(
      rc::gen::pair(rc::gen::inRange(0, 300), rc::gen::inRange(0, 300)));
  const auto sentence = *rc::gen::inRange<int64_t>(0, int64_t{1} << 40);
  std::istringstream lines(write_naacl(sentence, links));
  std::string line;
  for (const auto& [source, target] : links) {
    RC_ASSERT(static_cast<bool>(std::getline(lines, line)));
    RC_ASSERT(read_naacl(line) == (NaaclLink{sentence, source, target, true}));
  }
  RC_ASSERT(!std::getline(lines, line));
}

}  // namespace
}  // namespace fovea
