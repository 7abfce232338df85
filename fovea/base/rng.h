#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fovea {

// Names a stream of random numbers. There is no state: the draw at an index is
// a function of the key and the index alone, so that masks depend neither on
// threads nor on the order of calls, and can be computed again.
//
//   RandomKey key = RandomKey(seed).with(step).with("encoder.1").with("drop");
class RandomKey {
 public:
  explicit constexpr RandomKey(uint64_t seed = 0) : bits_(mix(seed)) {}

  constexpr RandomKey with(uint64_t part) const {
    RandomKey key;
    key.bits_ = mix(bits_ ^ mix(part + 0x9e3779b97f4a7c15u));
    return key;
  }
  constexpr RandomKey with(std::string_view name) const {
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (char c : name) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    return with(hash);
  }

  constexpr uint64_t bits() const { return bits_; }
  constexpr uint32_t low() const { return static_cast<uint32_t>(bits_); }
  constexpr uint32_t high() const { return static_cast<uint32_t>(bits_ >> 32); }

 private:
  // The finaliser of splitmix64.
  static constexpr uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  uint64_t bits_;
};

// 32 random bits for an index below 2^32. Kernels compute the same function in
// SIMD lanes: change both or neither.
constexpr uint32_t random_bits(RandomKey key, uint32_t index) {
  uint32_t x = index + key.low();
  x = (x ^ (x >> 17)) * 0xed5ad4bbu;
  x = (x ^ (x >> 11)) + key.high();
  x = x * 0xac4c1b51u;
  x = (x ^ (x >> 15)) * 0x31848babu;
  return x ^ (x >> 14);
}

// Uniform in (0, 1), never 0 or 1.
constexpr float random_uniform(RandomKey key, uint32_t index) {
  return (static_cast<float>(random_bits(key, index) >> 9) + 0.5f) *
         (1.0f / 8388608.0f);
}

// Standard normal (Box-Muller; one value for each index).
float random_normal(RandomKey key, uint32_t index);

// An integer in [0, bound); the bias is below bound / 2^32.
constexpr uint32_t random_below(RandomKey key, uint32_t index, uint32_t bound) {
  return static_cast<uint32_t>(
      (static_cast<uint64_t>(random_bits(key, index)) * bound) >> 32);
}

void fill_uniform(RandomKey key, float low, float high, std::span<float> out);
void fill_normal(RandomKey key, float mean, float deviation,
                 std::span<float> out);

}  // namespace fovea
