#include "fovea/autograd/batch_norm.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_image.h"

namespace fovea {
namespace {

using namespace fovea::testing;

ColumnStatistics standard(int64_t cols) {
  return {Tensor::zeros({cols}), Tensor::full({cols}, 1)};
}

struct Inputs {
  Var x, gain, bias;
  Inputs(const Shape& shape, float offset)
      : x(Var::parameter(random_tensor(shape, 1, 2.0f))),
        gain(Var::parameter(random_tensor({shape[-1]}, 2))),
        bias(Var::parameter(random_tensor({shape[-1]}, 3))) {
    for (float& v : x.value().span()) v += offset;
  }
};

TEST(BatchNorm, TwinGradientsAreRight) {
  EXPECT_TRUE(twin_gradient_is_right(
      [](const auto& in) { return twin_batch_norm(in[0], in[1], in[2], 1e-5); },
      [](const auto& in, const Doubles& dy) {
        return twin_batch_norm_gradient(in[0], in[1], dy, 1e-5);
      },
      {random_doubles(21, 1), random_doubles(3, 2), random_doubles(3, 3)},
      random_doubles(21, 4)));
}

TEST(BatchNorm, EqualsItsTwinOnRowsAndImages) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      for (const Shape& shape : {Shape{3, 1}, Shape{7, 9}, Shape{33, 8},
                                 Shape{1000, 33}, Shape{2, 5, 4, 7}}) {
        const Inputs in(shape, 10.0f);
        const Doubles x = to_double(in.x.value());
        const Doubles gain = to_double(in.gain.value());
        const Var y = batch_norm(in.x, in.gain, in.bias, standard(shape[-1])).y;
        EXPECT_TRUE(close(
            y.value(),
            twin_batch_norm(x, gain, to_double(in.bias.value()), 1e-5f), 1e-5));
        const Tensor dy = random_tensor(shape, 4);
        y.backward(dy);
        const std::vector<Doubles> expected =
            twin_batch_norm_gradient(x, gain, to_double(dy), 1e-5f);
        EXPECT_TRUE(close(in.x.grad(), expected[0], kGradientTolerance));
        EXPECT_TRUE(close(in.gain.grad(), expected[1], kGradientTolerance));
        EXPECT_TRUE(close(in.bias.grad(), expected[2], kGradientTolerance));
      }
    });
  });
}

TEST(BatchNorm, MovesTheRunningStatisticsTowardsThoseOfTheBatch) {
  const Var x = Tensor::of({4, 1}, {1, 2, 3, 6});
  const Var one = Tensor::full({1}, 1), zero = Tensor::zeros({1});
  const ColumnStatistics before = standard(1);
  const BatchNormed result =
      batch_norm(x, one, zero, before, {.momentum = 0.25f});
  EXPECT_NEAR(result.running.mean[0], 0.25 * 3, 1e-6);
  EXPECT_NEAR(result.running.variance[0], 0.75 + 0.25 * 14 / 3.0, 1e-6);
  EXPECT_EQ(before.mean[0], 0) << "given statistics have changed";
}

TEST(BatchNorm, UsesGivenStatisticsAsConstants) {
  const Inputs in({5, 3}, 0);
  const ColumnStatistics given{Tensor::of({3}, {1, 0, -2}),
                               Tensor::of({3}, {4, 1, 0.25})};
  const Var y = batch_norm_fixed(in.x, in.gain, in.bias, given);
  const Tensor dy = random_tensor({5, 3}, 4);
  Doubles expected(15), dx(15), dgain(3), dbias(3);
  for (int i = 0; i < 15; ++i) {
    const int j = i % 3;
    const double inverse = 1 / std::sqrt(given.variance[j] + 1e-5f);
    const double hat = (in.x.value()[i] - given.mean[j]) * inverse;
    expected[i] = hat * in.gain.value()[j] + in.bias.value()[j];
    dx[i] = dy[i] * in.gain.value()[j] * inverse;
    dgain[j] += dy[i] * hat;
    dbias[j] += dy[i];
  }
  EXPECT_TRUE(close(y.value(), expected, 1e-6));
  y.backward(dy);
  EXPECT_TRUE(close(in.x.grad(), dx, kGradientTolerance));
  EXPECT_TRUE(close(in.gain.grad(), dgain, kGradientTolerance));
  EXPECT_TRUE(close(in.bias.grad(), dbias, kGradientTolerance));
}

TEST(BatchNorm, DoesNotDependOnTheNumberOfThreads) {
  std::vector<float> first;
  with_threads({1, 2, 3, 4}, [&](int) {
    const Inputs in({3000, 65}, 1);
    const Var y = batch_norm(in.x, in.gain, in.bias, standard(65)).y;
    y.backward(random_tensor({3000, 65}, 4));
    std::vector<float> all(in.x.grad().span().begin(),
                           in.x.grad().span().end());
    all.insert(all.end(), in.gain.grad().span().begin(),
               in.gain.grad().span().end());
    if (first.empty()) first = all;
    EXPECT_TRUE(same_bits(all, first));
  });
}

TEST(BatchNorm, TakesAnEmptyBatch) {
  const Inputs in({0, 3}, 0);
  const BatchNormed result = batch_norm(in.x, in.gain, in.bias, standard(3));
  EXPECT_EQ(result.y.shape(), Shape({0, 3}));
  EXPECT_EQ(result.running.variance[1], 1);
}

TEST(BatchNorm, NamesWrongArguments) {
  const Var x = Tensor::zeros({4, 3}), three = Tensor::zeros({3}),
            two = Tensor::zeros({2});
  EXPECT_THROW(batch_norm(x, two, three, standard(3)), Error);
  EXPECT_THROW(batch_norm(x, three, three, standard(2)), Error);
  EXPECT_THROW(batch_norm(three, three, three, standard(3)), Error);
}

}  // namespace
}  // namespace fovea
