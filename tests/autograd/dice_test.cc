#include "fovea/autograd/dice.h"

#include "fovea/base/check.h"
#include "fovea/base/rng.h"
#include "support/compare.h"
#include "support/gradients.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace fovea::testing;

struct Sums {
  double above, under;
};
Sums sums(const Doubles& p, const Doubles& t, double smooth) {
  Sums s{smooth, smooth};
  for (size_t i = 0; i < p.size(); ++i) {
    s.above += 2 * p[i] * t[i];
    s.under += p[i] + t[i];
  }
  return s;
}
Doubles twin(const Doubles& p, const Doubles& t, double smooth) {
  const Sums s = sums(p, t, smooth);
  return {1 - s.above / s.under};
}
Doubles twin_gradient(const Doubles& p, const Doubles& t, double smooth,
                      double dy) {
  const Sums s = sums(p, t, smooth);
  Doubles dp;
  for (double v : t) {
    dp.push_back(-dy * (2 * v * s.under - s.above) / (s.under * s.under));
  }
  return dp;
}

// Probabilities, and a mask that is one where its numbers are positive.
Tensor probabilities(int64_t size) {
  const Tensor p({size});
  fill_uniform(RandomKey(1), 0, 1, p.span());
  return p;
}
Tensor mask(int64_t size) {
  const Tensor t = random_tensor({size}, 2);
  for (float& v : t.span()) v = v > 0 ? 1.0f : 0.0f;
  return t;
}

TEST(SoftDice, GivesTheWorkedNumbers) {
  const Var p = Var::parameter(Tensor::of({2}, {.8f, .3f}));
  const Var loss = soft_dice(p, Tensor::of({2}, {1, 0}));
  EXPECT_NEAR(loss.value().item(), .1612903, 1e-7);
  loss.backward();
  EXPECT_TRUE(close(p.grad(), Doubles{-.3746098, .2705515}, 1e-6));
}

TEST(SoftDice, TwinGradientIsRight) {
  const Doubles t = to_double(mask(9));
  EXPECT_TRUE(twin_gradient_is_right(
      [&](const auto& in) { return twin(in[0], t, 0.5); },
      [&](const auto& in, const Doubles& dy) {
        return std::vector<Doubles>{twin_gradient(in[0], t, 0.5, dy[0])};
      },
      {to_double(probabilities(9))}, {2.0}));
}

TEST(SoftDice, EqualsItsTwin) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      for (int size : {0, 1, 7, 33, 40001}) {
        const Var p = Var::parameter(probabilities(size));
        const Tensor t = mask(size);
        const Doubles dp = to_double(p.value()), dt = to_double(t);
        const Var loss = soft_dice(p, t, 0.5f);
        EXPECT_NEAR(loss.value().item(), twin(dp, dt, 0.5)[0], 1e-6);
        loss.backward(Tensor::full({}, -3));
        EXPECT_TRUE(close(p.grad(), twin_gradient(dp, dt, 0.5, -3),
                          kGradientTolerance));
      }
    });
  });
}

TEST(SoftDice, NamesWrongArguments) {
  EXPECT_THROW(soft_dice(Tensor::zeros({2}), Tensor::zeros({3})), Error);
  EXPECT_THROW(soft_dice(Tensor::zeros({2}), Tensor::zeros({2}), 0), Error);
}

}  // namespace
}  // namespace fovea
