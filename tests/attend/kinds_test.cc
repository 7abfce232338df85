#include "fovea/attend/kinds.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace fovea {
namespace {

TEST(Kinds, HaveNamesOfTheirOwnAndAHelpText) {
  std::set<std::string> names;
  for (const KindEntry& kind : kind_registry()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(std::string(kind.help).empty()) << kind.name;
  }
  EXPECT_TRUE(names.count("pooling"));
}

}  // namespace
}  // namespace fovea
