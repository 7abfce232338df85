#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "fovea/base/rng.h"

namespace fovea::bench {

// Inputs and outputs of the layers of common models.
struct Layer {
  int in, out;
};
inline constexpr Layer kLayers[] = {{256, 256},  {256, 1024}, {1024, 256},
                                    {512, 512},  {512, 2048}, {2048, 512},
                                    {256, 8000}, {512, 8000}};

inline std::vector<float> random_matrix(int64_t count, uint64_t seed) {
  std::vector<float> x(count);
  fill_uniform(RandomKey(seed), -1, 1, x);
  return x;
}

inline Row row_named(const std::string& bench, const std::string& name,
                     int threads) {
  Row row;
  row.bench = bench;
  row.name = name;
  row.threads = threads;
  return row;
}

// Small products are done several times in a row, to be long enough to time.
inline int repeats(double flops) {
  return std::max(1, static_cast<int>(1e7 / flops));
}
template <class Fn>
Work repeated(double flops, Fn fn) {
  return [n = repeats(flops), fn] {
    for (int i = 0; i < n; ++i) fn();
  };
}

}  // namespace fovea::bench
