#include "fovea/io/checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace fovea {
namespace {

uint64_t of(const std::string& text, uint64_t seed = 0) {
  return checksum(std::as_bytes(std::span(text.data(), text.size())), seed);
}

TEST(Checksum, TellsAllChangesOfOneByteAndAllLengthsApart) {
  std::set<uint64_t> seen;
  size_t texts = 0;
  for (size_t length = 0; length < 100; ++length) {
    seen.insert(of(std::string(length, '\0')));
    ++texts;
    for (size_t at = 0; at < length; ++at) {
      std::string text(length, '\0');
      text[at] = 'x';
      seen.insert(of(text));
      ++texts;
    }
  }
  EXPECT_EQ(seen.size(), texts);
}

TEST(Checksum, TakesASeed) { EXPECT_NE(of("text", 1), of("text", 2)); }

TEST(Checksum, IsTheSameOnEveryMachine) {
  EXPECT_EQ(of("The quick brown fox jumps over the lazy dog."),
            uint64_t{0x2fefe4895f635e15u});
}

}  // namespace
}  // namespace fovea
