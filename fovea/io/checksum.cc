#include "fovea/io/checksum.h"

#include <array>
#include <cstring>

namespace fovea {
namespace {

constexpr uint64_t kOdd = 0x9e3779b97f4a7c15u;  // 2^64 over the golden ratio

// Two different words, or two different sums, never become the same.
constexpr uint64_t mix(uint64_t sum, uint64_t word) {
  const uint64_t product = (sum ^ word) * kOdd;
  return product ^ product >> 32;
}

}  // namespace

uint64_t checksum(std::span<const std::byte> bytes, uint64_t seed) {
  // Several sums at once: a multiplication waits for the one before it.
  std::array<uint64_t, 4> sums = {seed, seed + 1, seed + 2, seed + 3};
  size_t at = 0;
  for (; at + sizeof(sums) <= bytes.size(); at += sizeof(sums)) {
    std::array<uint64_t, 4> words;
    std::memcpy(words.data(), bytes.data() + at, sizeof(words));
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = mix(sums[i], words[i]);
  }
  std::array<uint64_t, 4> rest{};
  if (at < bytes.size()) {
    std::memcpy(rest.data(), bytes.data() + at, bytes.size() - at);
  }
  uint64_t all = bytes.size();
  for (size_t i = 0; i < sums.size(); ++i) {
    all = mix(all, mix(sums[i], rest[i]));
  }
  return all;
}

}  // namespace fovea
