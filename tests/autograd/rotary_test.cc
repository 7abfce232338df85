#include "fovea/autograd/rotary.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/check_op.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

Doubles twin(const Doubles& x, const std::vector<int>& positions, int heads,
             int size, const Rotary& rotary) {
  Doubles y = x;
  const int width = rotary.width ? rotary.width : size;
  const bool adjacent = rotary.pairing == RotaryPairing::kAdjacent;
  for (size_t m = 0; m < positions.size(); ++m) {
    for (int h = 0; h < heads; ++h) {
      const size_t at = (m * heads + h) * size;
      for (int i = 0; i < width / 2; ++i) {
        const size_t a = at + (adjacent ? 2 * i : i);
        const size_t b = adjacent ? a + 1 : a + width / 2;
        const double angle =
            positions[m] * std::pow(double{rotary.base}, -2.0 * i / width);
        y[a] = x[a] * std::cos(angle) - x[b] * std::sin(angle);
        y[b] = x[a] * std::sin(angle) + x[b] * std::cos(angle);
      }
    }
  }
  return y;
}

TEST(Rotary, TurnsPairsAsItsTwinOnEveryTarget) {
  const std::vector<int> positions{0, 3, 1, 1000, 7};
  for (const RotaryPairing pairing :
       {RotaryPairing::kAdjacent, RotaryPairing::kHalfSplit}) {
    for (const auto& [size, width] :
         {std::pair(2, 0), std::pair(6, 0), std::pair(16, 0), std::pair(34, 0),
          std::pair(64, 20), std::pair(13, 4)}) {
      const Rotary rotary{width, 10000.0f, pairing};
      on_every_target([&, size = size] {
        check_op(
            [&](const auto& v) { return rotate(v[0], positions, 3, rotary); },
            [&](const std::vector<Doubles>& in) {
              return twin(in[0], positions, 3, size, rotary);
            },
            {random_tensor({5, 3 * size}, 1)});
      });
    }
  }
}

TEST(Rotary, GivesTheNumbersOfTheSpec) {  // SPEC C6
  const Var q(Tensor::of({1, 4}, {1, 2, 3, 4}));
  const Var k(Tensor::of({1, 4}, {0.5f, -1, 0.25f, 2}));
  const auto at = [](const Var& x, int position) {
    return rotate(x, std::vector<int>{position}, 1, {}).value();
  };
  EXPECT_TRUE(
      close(at(q, 3), Doubles{-1.272233, -1.838865, 2.878668, 4.088187}, 1e-6));
  const auto score = [&](int i, int j) {
    const Tensor a = at(q, i), b = at(k, j);
    double sum = 0;
    for (int c = 0; c < 4; ++c) sum += double{a[c]} * b[c];
    return sum;
  };
  EXPECT_NEAR(score(3, 1), 7.653868793, 1e-5);
  EXPECT_NEAR(score(7, 5), 7.653868793, 1e-5);
  const Var one(Tensor::of({1, 2}, {1, 0}));
  EXPECT_NEAR(at(one, 2)[0], -0.4161468, 1e-6);
}

TEST(Rotary, RefusesWidthsThatHaveNoPairs) {
  const Var x(random_tensor({2, 6}, 1));
  const std::vector<int> positions{0, 1}, three{0, 1, 2};
  EXPECT_THROW(rotate(x, positions, 2, {}), Error);  // heads of 3
  EXPECT_THROW(rotate(x, positions, 1, {.width = 8}), Error);
  EXPECT_THROW(rotate(x, three, 1, {}), Error);
  EXPECT_NO_THROW(rotate(x, positions, 2, {.width = 2}));
  const Var none(Tensor({0, 6}));
  EXPECT_EQ(rotate(none, {}, 1, {}).value().size(), 0);
}

}  // namespace
}  // namespace fovea
