#include "fovea/autograd/image.h"

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_image.h"

namespace fovea {
namespace {

using namespace fovea::testing;

const TwinPool kPools[] = {{2, 6, 8, 3, 2, 2, 0}, {1, 7, 5, 9, 3, 2, 1},
                           {3, 4, 4, 1, 3, 1, 1}, {1, 1, 1, 2, 1, 1, 0},
                           {2, 5, 5, 7, 5, 1, 0}, {0, 4, 4, 2, 2, 2, 0}};

Shape shape_of(const TwinPool& p) {
  return {p.batch, p.height, p.width, p.channels};
}
Pool2dOptions options_of(const TwinPool& p) {
  return {.window = p.window, .stride = p.stride, .pad = p.pad};
}

TEST(Pool2d, TwinGradientsAreRight) {
  for (const TwinPool& p : kPools) {
    const Doubles x = random_doubles(shape_of(p).size(), 1);
    const Doubles dy = random_doubles(twin_max_pool(p, x).size(), 2);
    EXPECT_TRUE(twin_gradient_is_right(
        [&](const auto& in) { return twin_max_pool(p, in[0]); },
        [&](const auto& in, const Doubles& d) {
          return std::vector<Doubles>{twin_max_pool_gradient(p, in[0], d)};
        },
        {x}, dy));
    EXPECT_TRUE(twin_gradient_is_right(
        [&](const auto& in) { return twin_average_pool(p, in[0]); },
        [&](const auto&, const Doubles& d) {
          return std::vector<Doubles>{twin_average_pool_gradient(p, d)};
        },
        {x}, dy));
  }
}

TEST(Pool2d, EqualsItsTwin) {
  with_threads({1, 2, 4}, [](int) {
    for (const TwinPool& p : kPools) {
      const Var x = Var::parameter(random_tensor(shape_of(p), 1));
      const Doubles in = to_double(x.value());
      const Var max = max_pool2d(x, options_of(p));
      EXPECT_TRUE(close(max.value(), twin_max_pool(p, in), 0));
      const Tensor dy = random_tensor(max.shape(), 2);
      max.backward(dy);
      EXPECT_TRUE(close(x.grad(), twin_max_pool_gradient(p, in, to_double(dy)),
                        kGradientTolerance));
      x.clear_grad();
      const Var average = average_pool2d(x, options_of(p));
      EXPECT_TRUE(close(average.value(), twin_average_pool(p, in), 1e-6));
      average.backward(dy);
      EXPECT_TRUE(close(x.grad(), twin_average_pool_gradient(p, to_double(dy)),
                        kGradientTolerance));
    }
  });
}

TEST(Pool2d, GivesTheGradientOfATieToTheFirst) {
  const Var x = Var::parameter(Tensor::full({1, 2, 2, 1}, 3));
  max_pool2d(x).backward();
  EXPECT_TRUE(same_bits(x.grad().span(), std::vector<float>{1, 0, 0, 0}));
}

TEST(Pool2d, NamesWrongArguments) {
  const Var x = Tensor::zeros({1, 4, 4, 2});
  EXPECT_THROW(max_pool2d(Tensor::zeros({4, 4})), Error);
  EXPECT_THROW(max_pool2d(x, {.window = 5}), Error);
  EXPECT_THROW(average_pool2d(x, {.window = 2, .pad = 2}), Error);
  EXPECT_THROW(average_pool2d(x, {.stride = 0}), Error);
}

TEST(Resample, TwinGradientsAreRight) {
  const TwinResample r{2, 3, 4, 2, 5, 7, false};
  EXPECT_TRUE(twin_gradient_is_right(
      [&](const auto& in) { return twin_resample(r, in[0]); },
      [&](const auto&, const Doubles& d) {
        return std::vector<Doubles>{twin_resample_gradient(r, d)};
      },
      {random_doubles(48, 1)}, random_doubles(140, 2)));
}

TEST(Resample, EqualsItsTwinUpAndDown) {
  with_threads({1, 2, 4}, [](int) {
    for (bool align : {false, true}) {
      for (const TwinResample& r : {TwinResample{2, 4, 5, 3, 8, 10, align},
                                    TwinResample{1, 7, 3, 9, 3, 8, align},
                                    TwinResample{3, 1, 1, 1, 4, 5, align},
                                    TwinResample{1, 6, 6, 2, 1, 1, align},
                                    TwinResample{2, 5, 4, 8, 5, 4, align},
                                    TwinResample{0, 5, 4, 8, 2, 2, align}}) {
        const Var x = Var::parameter(
            random_tensor({r.batch, r.height, r.width, r.channels}, 1));
        const Var y = resample(x, {r.out_height, r.out_width, align});
        EXPECT_TRUE(
            close(y.value(), twin_resample(r, to_double(x.value())), 1e-6));
        const Tensor dy = random_tensor(y.shape(), 2);
        y.backward(dy);
        EXPECT_TRUE(close(x.grad(), twin_resample_gradient(r, to_double(dy)),
                          kGradientTolerance));
      }
    }
  });
}

TEST(Resample, KeepsCornersWhereAsked) {
  const Var x = Tensor::of({1, 1, 2, 1}, {0, 3});
  EXPECT_TRUE(
      close(resample(x, {1, 4, true}).value(), Doubles{0, 1, 2, 3}, 1e-6));
  EXPECT_TRUE(close(resample(x, {1, 4, false}).value(),
                    Doubles{0, 0.75, 2.25, 3}, 1e-6));
}

}  // namespace
}  // namespace fovea
