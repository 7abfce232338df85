#include "fovea/autograd/weight_norm.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/gradients.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace fovea::testing;

double dot(const Doubles& x, const Doubles& y, size_t row, size_t width) {
  double sum = 0;
  for (size_t j = 0; j < width; ++j) {
    sum += x[row * width + j] * y[row * width + j];
  }
  return sum;
}

Doubles twin(const std::vector<Doubles>& in) {
  const Doubles &v = in[0], &gain = in[1];
  const size_t width = v.size() / gain.size();
  Doubles w(v.size());
  for (size_t i = 0; i < v.size(); ++i) {
    const size_t row = i / width;
    w[i] = gain[row] * v[i] / std::sqrt(dot(v, v, row, width));
  }
  return w;
}

std::vector<Doubles> twin_gradient(const std::vector<Doubles>& in,
                                   const Doubles& dw) {
  const Doubles &v = in[0], &gain = in[1];
  const size_t width = v.size() / gain.size();
  Doubles dv(v.size()), dgain(gain.size());
  for (size_t row = 0; row < gain.size(); ++row) {
    const double norm = std::sqrt(dot(v, v, row, width));
    dgain[row] = dot(dw, v, row, width) / norm;
    for (size_t i = row * width; i < (row + 1) * width; ++i) {
      dv[i] = gain[row] / norm * (dw[i] - dgain[row] * v[i] / norm);
    }
  }
  return {dv, dgain};
}

TEST(WeightNorm, TwinGradientsAreRight) {
  EXPECT_TRUE(twin_gradient_is_right(
      twin, twin_gradient, {random_doubles(12, 1), random_doubles(3, 2)},
      random_doubles(12, 3)));
}

TEST(WeightNorm, EqualsItsTwin) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      for (const Shape& shape :
           {Shape{1, 1}, Shape{7, 9}, Shape{300, 129}, Shape{5, 3, 8}}) {
        const Var v = Var::parameter(random_tensor(shape, 1));
        const Var gain = Var::parameter(random_tensor({shape[0]}, 2));
        const std::vector<Doubles> in = {to_double(v.value()),
                                         to_double(gain.value())};
        const Var w = weight_norm(v, gain);
        EXPECT_TRUE(close(w.value(), twin(in), 1e-6));
        const Tensor dw = random_tensor(shape, 3);
        w.backward(dw);
        const std::vector<Doubles> expected = twin_gradient(in, to_double(dw));
        EXPECT_TRUE(close(gain.grad(), expected[1], kGradientTolerance));
        if (shape.size() == 1) continue;  // one number cannot be turned
        EXPECT_TRUE(close(v.grad(), expected[0], kGradientTolerance));
      }
    });
  });
}

TEST(WeightNorm, LeavesARowOfZerosAlone) {
  const Var v = Var::parameter(Tensor::zeros({1, 3}));
  const Var gain = Var::parameter(Tensor::full({1}, 2));
  const Var w = weight_norm(v, gain);
  w.backward(Tensor::full({1, 3}, 1));
  const std::vector<float> zeros(3, 0.0f);
  EXPECT_TRUE(same_bits(w.value().span(), zeros));
  EXPECT_TRUE(close(v.grad(), Doubles(3, 0.0), 0));
  EXPECT_EQ(gain.grad()[0], 0);
}

TEST(WeightNorm, TakesARowBelowTheFloorForZeros) {
  const Var v = Var::parameter(Tensor::of({2, 2}, {3e-4f, 4e-4f, 3, 4}));
  const Var gain = Var::parameter(Tensor::full({2}, 1));
  const Var w = weight_norm(v, gain, 1e-3f);
  EXPECT_TRUE(close(w.value(), Doubles{0, 0, 0.6, 0.8}, 1e-6));
  w.backward(Tensor::of({2, 2}, {1, 0, 1, 0}));
  EXPECT_TRUE(close(v.grad(), Doubles{0, 0, 0.128, -0.096}, 1e-5));
  EXPECT_TRUE(close(gain.grad(), Doubles{0, 0.6}, 1e-6));
}

TEST(WeightNorm, NamesWrongArguments) {
  EXPECT_THROW(weight_norm(Tensor::zeros({2, 3}), Tensor::zeros({3})), Error);
}

}  // namespace
}  // namespace fovea
