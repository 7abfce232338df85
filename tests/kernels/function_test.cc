#include "fovea/kernels/function.h"

#include <cmath>
#include <limits>

#include "support/compare.h"
#include "support/random.h"
#include "support/twin_elementwise.h"

namespace fovea::kernels {
namespace {

using namespace testing;  // NOLINT: the support library

constexpr Function kAll[] = {
    Function::kRelu, Function::kGelu,     Function::kTanh, Function::kSigmoid,
    Function::kSilu, Function::kSoftplus, Function::kExp,  Function::kLog};

// Away from the kink of relu; positive for the logarithm.
Doubles inputs(Function f, int n) {
  Doubles x = random_doubles(n, 5);
  for (double& v : x) {
    v = static_cast<float>(2 * v);
    if (f == Function::kLog) v = std::abs(v) + 0.1f;
    if (std::abs(v) < 0.01) v += 0.1f;
  }
  return x;
}

TEST(Function, TwinGradientsAgreeWithCentralDifferences) {
  for (Function f : kAll) {
    EXPECT_TRUE(twin_gradient_is_right(
        [f](const auto& in) { return twin_apply(f, in[0]); },
        [f](const auto& in, const Doubles& dy) {
          return std::vector<Doubles>{twin_apply_backward(f, in[0], dy)};
        },
        {inputs(f, 20)}, random_doubles(20, 6)))
        << static_cast<int>(f);
  }
  EXPECT_TRUE(twin_gradient_is_right(
      [](const auto& in) { return twin_glu(in[0], 3); },
      [](const auto& in, const Doubles& dy) {
        return std::vector<Doubles>{twin_glu_backward(in[0], dy, 3)};
      },
      {random_doubles(12, 1)}, random_doubles(6, 2)));
  EXPECT_TRUE(twin_gradient_is_right(
      [](const auto& in) { return twin_maxout(in[0]); },
      [](const auto& in, const Doubles& dy) {
        return std::vector<Doubles>{twin_maxout_backward(in[0], dy)};
      },
      {random_doubles(12, 1)}, random_doubles(6, 2)));
}

void compare_with_twin(Function f, int n) {
  const Doubles x = inputs(f, n), dy = random_doubles(n, 6);
  const auto x32 = to_float(x), dy32 = to_float(dy);
  std::vector<float> y(n), dx(n), twice(n, 1.0f);
  apply(f, x32, y);
  EXPECT_TRUE(close(y, twin_apply(f, x), 1e-6));
  const auto& kept = derivative_uses_result(f) ? y : x32;
  const Doubles expected = twin_apply_backward(f, x, dy);
  apply_backward(f, kept, dy32, dx, false);
  EXPECT_TRUE(close(dx, expected, kGradientTolerance));
  apply_backward(f, kept, dy32, twice, true);
  for (int i = 0; i < n; ++i) ASSERT_NEAR(twice[i], 1 + dx[i], 1e-5);
}

TEST(Function, MatchesTheTwinOnEverySizeTargetAndThreadCount) {
  on_every_target([] {
    for (Function f : kAll) {
      SCOPED_TRACE("function " + std::to_string(static_cast<int>(f)));
      for (int n : {0, 1, 7, 8, 9, 33}) compare_with_twin(f, n);
      with_threads({1, 2, 4}, [&](int) { compare_with_twin(f, 20003); });
    }
  });
}

TEST(Function, HasTheGeluOfThePaper) {
  const std::vector<float> x{1, -1}, dy{1, 1};
  on_every_target([&] {
    std::vector<float> y(2), dx(2);
    apply(Function::kGelu, x, y);
    EXPECT_NEAR(y[0], 0.8411920, 1e-6);
    EXPECT_NEAR(y[1], -0.1588080, 1e-6);
    apply_backward(Function::kGelu, x, dy, dx, false);
    EXPECT_NEAR(dx[0], 1.0829641, 1e-6);
  });
}

TEST(Function, StaysFiniteFarOut) {
  const std::vector<float> x{-3e38f, -1e20f, -200, -90, 90, 200, 1e20f, 3e38f};
  const std::vector<float> dy(x.size(), 1.0f);
  on_every_target([&] {
    for (Function f :
         {Function::kRelu, Function::kGelu, Function::kTanh, Function::kSigmoid,
          Function::kSilu, Function::kSoftplus}) {
      std::vector<float> y(x.size()), dx(x.size());
      apply(f, x, y);
      apply_backward(f, derivative_uses_result(f) ? y : x, dy, dx, false);
      for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_TRUE(std::isfinite(y[i])) << x[i] << " " << static_cast<int>(f);
        EXPECT_NEAR(dx[i], twin_derivative(f, x[i] < 0 ? -300 : 300), 1e-5)
            << x[i] << " " << static_cast<int>(f);
      }
    }
  });
}

TEST(Function, GivesInfiniteLogarithmsAndExponentials) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x{0, 100, -1, kInfinity};
  on_every_target([&] {
    std::vector<float> y(x.size());
    apply(Function::kLog, x, y);
    EXPECT_EQ(y[0], -kInfinity);
    EXPECT_TRUE(std::isnan(y[2]));
    EXPECT_EQ(y[3], kInfinity);
    apply(Function::kExp, x, y);
    EXPECT_EQ(y[0], 1.0f);
    EXPECT_EQ(y[1], kInfinity);
    EXPECT_EQ(y[3], kInfinity);
  });
}

TEST(Function, GatesTheFirstHalfByTheSecond) {
  on_every_target([] {
    for (int cols : {1, 7, 8, 9, 33}) {
      const int rows = 6;
      const Doubles x = random_doubles(rows * cols * 2, 1);
      const Doubles dy = random_doubles(rows * cols, 2);
      const auto x32 = to_float(x), dy32 = to_float(dy);
      std::vector<float> y(dy.size()), dx(x.size()), more(x.size(), 2.0f);
      const ConstMatrixView in(x32.data(), rows, 2 * cols);
      const ConstMatrixView grad(dy32.data(), rows, cols);
      glu(in, {y.data(), rows, cols});
      EXPECT_TRUE(close(y, twin_glu(x, cols), 1e-6));
      glu_backward(in, grad, {dx.data(), rows, 2 * cols}, false);
      EXPECT_TRUE(
          close(dx, twin_glu_backward(x, dy, cols), kGradientTolerance));
      glu_backward(in, grad, {more.data(), rows, 2 * cols}, true);
      for (size_t i = 0; i < dx.size(); ++i) {
        ASSERT_NEAR(more[i], 2 + dx[i], 1e-5);
      }
    }
  });
}

TEST(Function, GivesTheMaxoutGradientToTheWinnerTheFirstOnTies) {
  on_every_target([] {
    for (int n : {0, 1, 7, 8, 9, 33, 9001}) {
      Doubles x = random_doubles(2 * n, 1);
      for (int i = 0; i < n; i += 3) x[2 * i + 1] = x[2 * i];  // ties
      const Doubles dy = random_doubles(n, 2);
      const auto x32 = to_float(x), dy32 = to_float(dy);
      std::vector<float> y(n), dx(2 * n), more(2 * n, 2.0f);
      maxout(x32, y);
      EXPECT_TRUE(close(y, twin_maxout(x), 1e-6));
      maxout_backward(x32, dy32, dx, false);
      EXPECT_TRUE(close(dx, twin_maxout_backward(x, dy), kGradientTolerance));
      maxout_backward(x32, dy32, more, true);
      for (int i = 0; i < 2 * n; ++i) ASSERT_FLOAT_EQ(more[i], 2 + dx[i]);
    }
  });
}

}  // namespace
}  // namespace fovea::kernels
