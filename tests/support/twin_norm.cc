#include "support/twin_norm.h"

#include <cmath>

namespace fovea::testing {
namespace {

struct Stats {
  double mean = 0, scale = 0;
};

Stats stats_of(const double* x, const TwinNorm& norm) {
  Stats s;
  if (!norm.rms) {
    for (int j = 0; j < norm.cols; ++j) s.mean += x[j] / norm.cols;
  }
  double variance = 0;
  for (int j = 0; j < norm.cols; ++j) {
    variance += (x[j] - s.mean) * (x[j] - s.mean) / norm.cols;
  }
  s.scale = 1 / std::sqrt(variance + norm.epsilon);
  return s;
}

}  // namespace

Doubles TwinNorm::operator()(const Doubles& x, const Doubles& gain,
                             const Doubles& bias) const {
  Doubles y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const Stats s = stats_of(&x[i / cols * cols], *this);
    y[i] = (x[i] - s.mean) * s.scale * gain[i % cols] + bias[i % cols];
  }
  return y;
}

TwinNorm::Gradients TwinNorm::backward(const Doubles& x, const Doubles& gain,
                                       const Doubles& dy) const {
  Gradients g{Doubles(x.size()), Doubles(cols, 0.0), Doubles(cols, 0.0)};
  for (size_t row = 0; row < x.size(); row += cols) {
    const Stats s = stats_of(&x[row], *this);
    double mean_d = 0, mean_d_xhat = 0;
    for (int j = 0; j < cols; ++j) {
      const double xhat = (x[row + j] - s.mean) * s.scale;
      const double d = dy[row + j] * gain[j];
      g.gain[j] += dy[row + j] * xhat;
      g.bias[j] += dy[row + j];
      mean_d += d / cols;
      mean_d_xhat += d * xhat / cols;
    }
    if (rms) mean_d = 0;
    for (int j = 0; j < cols; ++j) {
      const double xhat = (x[row + j] - s.mean) * s.scale;
      const double d = dy[row + j] * gain[j];
      g.x[row + j] = s.scale * (d - mean_d - xhat * mean_d_xhat);
    }
  }
  return g;
}

Doubles twin_dropout(const Doubles& x, float rate, RandomKey key) {
  Doubles y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const double drawn = random_bits(key, static_cast<uint32_t>(i));
    const bool kept = drawn >= std::floor(double{rate} * 4294967296.0);
    y[i] = kept ? x[i] / (1 - double{rate}) : 0.0;
  }
  return y;
}

}  // namespace fovea::testing
