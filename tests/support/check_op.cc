#include "support/check_op.h"

#include "support/compare.h"
#include "support/random.h"

namespace fovea::testing {
namespace {

double weighted_sum(const Doubles& y, const Doubles& dy) {
  double sum = 0;
  for (size_t i = 0; i < y.size(); ++i) sum += y[i] * dy[i];
  return sum;
}

Doubles numeric_gradient(const Twin& twin, std::vector<Doubles> inputs,
                         size_t which, const Doubles& dy) {
  constexpr double kStep = 1e-5;
  Doubles gradient;
  for (double& x : inputs[which]) {
    const double before = x;
    x = before + kStep;
    const double up = weighted_sum(twin(inputs), dy);
    x = before - kStep;
    const double down = weighted_sum(twin(inputs), dy);
    x = before;
    gradient.push_back((up - down) / (2 * kStep));
  }
  return gradient;
}

void expect_gradients(const std::vector<Var>& inputs,
                      const std::vector<Doubles>& expected, double factor,
                      double floor) {
  for (size_t k = 0; k < inputs.size(); ++k) {
    SCOPED_TRACE("gradient of input " + std::to_string(k));
    Doubles scaled = expected[k];
    for (double& g : scaled) g *= factor;
    if (scaled.empty()) continue;
    const Tensor got =
        inputs[k].grad() ? inputs[k].grad() : Tensor::zeros(inputs[k].shape());
    EXPECT_TRUE(close(got, scaled, kGradientTolerance, floor));
    inputs[k].clear_grad();
  }
}

}  // namespace

void check_op(const Op& op, const Twin& twin, const std::vector<Tensor>& inputs,
              double tolerance, double floor) {
  std::vector<Var> vars;
  std::vector<Doubles> doubles;
  for (const Tensor& input : inputs) {
    vars.push_back(Var::parameter(input));
    doubles.push_back(to_double(input));
  }
  const Var y = op(vars);
  ASSERT_TRUE(close(y.value(), twin(doubles), tolerance));

  const Tensor seed = random_tensor(y.shape(), 77);
  std::vector<Doubles> expected;
  for (size_t k = 0; k < inputs.size(); ++k) {
    expected.push_back(numeric_gradient(twin, doubles, k, to_double(seed)));
  }
  y.backward(seed);
  expect_gradients(vars, expected, 1, floor);
  op(vars).backward(seed);
  op(vars).backward(seed);
  expect_gradients(vars, expected, 2, floor);
}

}  // namespace fovea::testing
