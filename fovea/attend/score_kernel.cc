#include "fovea/attend/score_kernel.h"

#include <cmath>
#include <limits>

#include "fovea/attend/score_dot.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();
// The logarithm of the similarity of equal vectors: larger than any other, and
// still finite behind a temperature.
constexpr float kEqual = 1e20f;
// A squared distance below counts as 0, for its inverse is no float.
constexpr float kNear = 1e-30f;

struct PowerConfig {
  float power = 1.0f;
  void fields(auto&& field) {
    field("power", power, "of the inverse distance");
  }
};

struct WidthConfig {
  float width = 1.0f;
  void fields(auto&& field) {
    field("width", width, "of the kernel, in units of the distance");
  }
};

// Calls body(i) for each number of an array.
template <class Body>
void for_numbers(const Tensor& x, Body body) {
  constexpr int64_t kGrain = 4096;
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

// y = f(x) for each number, where slope(x) is the derivative.
template <class F, class Slope>
Var map(const Var& x, F f, Slope slope) {
  const Tensor a = x.value(), y(a.shape());
  for_numbers(a, [&](int64_t i) { y[i] = f(a[i]); });
  return record(y, {x}, [a, slope](const Tensor& dy, Grads dx) {
    const Tensor sum = dx[0].sum();
    for_numbers(a, [&](int64_t i) { sum[i] += dy[i] * slope(a[i]); });
  });
}

class InverseDistance : public Score {
 public:
  explicit InverseDistance(float power) : half_(power / 2) {}
  ScoreKind kind() const override { return ScoreKind::kLogSimilarity; }
  Var score(const Var& q, const Var& k, const Pairs& pairs,
            const Var&) const override {
    return map(
        pair_distance(q, k, pairs),
        [half = half_](float x) {
          return x < kNear ? kEqual : -half * std::log(x);
        },
        [half = half_](float x) { return x < kNear ? 0.0f : -half / x; });
  }

 private:
  float half_;
};

class Gaussian : public Score {
 public:
  explicit Gaussian(float width) : factor_(-0.5f / (width * width)) {}
  ScoreKind kind() const override { return ScoreKind::kLogSimilarity; }
  Var score(const Var& q, const Var& k, const Pairs& pairs,
            const Var&) const override {
    return factor_ * pair_distance(q, k, pairs);
  }

 private:
  float factor_;
};

class Epanechnikov : public Score {
 public:
  explicit Epanechnikov(float width) : square_(width * width) {}
  ScoreKind kind() const override { return ScoreKind::kLogSimilarity; }
  Var score(const Var& q, const Var& k, const Pairs& pairs,
            const Var&) const override {
    return map(
        pair_distance(q, k, pairs),
        [square = square_](float x) {
          return x < square ? std::log1p(-x / square) : kHidden;
        },
        [square = square_](float x) {
          return x < square ? -1 / (square - x) : 0.0f;
        });
  }

 private:
  float square_;
};

class Boxcar : public Score {
 public:
  explicit Boxcar(float width) : square_(width * width) {}
  ScoreKind kind() const override { return ScoreKind::kLogSimilarity; }
  Var score(const Var& q, const Var& k, const Pairs& pairs,
            const Var&) const override {
    const NoGrad no_grad;
    const Tensor x = pair_distance(q, k, pairs).value();
    for_numbers(x, [&](int64_t i) { x[i] = x[i] <= square_ ? 0.0f : kHidden; });
    return x;
  }

 private:
  float square_;
};

template <class Kernel>
std::unique_ptr<Score> make_with_width(const PartContext& context) {
  WidthConfig config;
  context.settings.read(config);
  // Its square must be a float.
  check_option(config.width >= 1e-15f && config.width <= 1e15f, "width",
               config.width, "give more than 1e-15 and less than 1e15");
  shared_head_size(context);
  return std::make_unique<Kernel>(config.width);
}

}  // namespace

std::unique_ptr<Score> make_inverse_distance_score(const PartContext& context) {
  PowerConfig config;
  context.settings.read(config);
  check_option(std::isfinite(config.power) && config.power > 0, "power",
               config.power, "give more than 0");
  shared_head_size(context);
  return std::make_unique<InverseDistance>(config.power);
}

std::unique_ptr<Score> make_gaussian_score(const PartContext& context) {
  return make_with_width<Gaussian>(context);
}

std::unique_ptr<Score> make_epanechnikov_score(const PartContext& context) {
  return make_with_width<Epanechnikov>(context);
}

std::unique_ptr<Score> make_boxcar_score(const PartContext& context) {
  return make_with_width<Boxcar>(context);
}

}  // namespace fovea
