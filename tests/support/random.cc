#include "support/random.h"

#include "fovea/base/rng.h"

namespace fovea::testing {

std::vector<double> random_doubles(int64_t count, uint64_t seed) {
  std::vector<double> out(count);
  const RandomKey key = RandomKey(seed).with("test");
  for (int64_t i = 0; i < count; ++i) out[i] = random_normal(key, i);
  return out;
}

std::vector<float> random_floats(int64_t count, uint64_t seed) {
  return to_float(random_doubles(count, seed));
}

Tensor random_tensor(const Shape& shape, uint64_t seed, float scale) {
  Tensor t(shape);
  fill_normal(RandomKey(seed).with("test"), 0.0f, scale, t.span());
  return t;
}

std::vector<int> random_lengths(int count, int shortest, int longest,
                                uint64_t seed) {
  std::vector<int> out(count);
  const RandomKey key = RandomKey(seed).with("lengths");
  for (int i = 0; i < count; ++i) {
    out[i] = shortest +
             static_cast<int>(random_below(key, i, longest - shortest + 1));
  }
  return out;
}

std::vector<float> to_float(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}

std::vector<double> to_double(const Tensor& x) {
  return {x.span().begin(), x.span().end()};
}

std::vector<double> to_double(const std::vector<float>& x) {
  return {x.begin(), x.end()};
}

}  // namespace fovea::testing
