#include "support/twin_additive.h"

#include <cmath>

namespace fovea::testing {
namespace {

// Calls fn(number, column of q, of k, of v, tanh) for each pair and column.
template <class Fn>
void each_tanh(const TwinPairs& pairs, const std::vector<Doubles>& inputs,
               const Fn& fn) {
  const int64_t width = int64_t{pairs.heads} * pairs.d;
  pairs.each([&](int64_t n, int64_t query, int64_t key) {
    for (int i = 0; i < pairs.d; ++i) {
      const int64_t column = (query + i) % width;
      double x = inputs[0][query + i] + inputs[1][key + i];
      if (inputs.size() == 5) x += inputs[3][n] * inputs[4][column];
      fn(n, query + i, key + i, column, std::tanh(x));
    }
  });
}

}  // namespace

Doubles twin_additive(const TwinPairs& pairs,
                      const std::vector<Doubles>& inputs) {
  Doubles s(pairs.size(), 0.0);
  each_tanh(pairs, inputs,
            [&](int64_t n, int64_t, int64_t, int64_t column, double t) {
              s[n] += inputs[2][column] * t;
            });
  return s;
}

std::vector<Doubles> twin_additive_gradient(const TwinPairs& pairs,
                                            const std::vector<Doubles>& inputs,
                                            const Doubles& ds) {
  std::vector<Doubles> dx;
  for (const Doubles& input : inputs) dx.emplace_back(input.size(), 0.0);
  each_tanh(pairs, inputs,
            [&](int64_t n, int64_t q, int64_t k, int64_t column, double t) {
              const double inner = ds[n] * inputs[2][column] * (1 - t * t);
              dx[0][q] += inner;
              dx[1][k] += inner;
              dx[2][column] += ds[n] * t;
              if (inputs.size() < 5) return;
              dx[3][n] += inner * inputs[4][column];
              dx[4][column] += inner * inputs[3][n];
            });
  return dx;
}

}  // namespace fovea::testing
