#include "fovea/layers/position_codes.h"

#include <cmath>
#include <numeric>

#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/gradients.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

double dot(const Tensor& codes, int64_t a, int64_t b) {
  double sum = 0;
  for (int64_t c = 0; c < codes.cols(); ++c) {
    sum += double{codes[a * codes.cols() + c]} * codes[b * codes.cols() + c];
  }
  return sum;
}

TEST(SinusoidalCodes, AreThoseOfThePaper) {  // SPEC C3
  const std::vector<int> positions{0, 1, 2};
  const Doubles expected{0,         1,          0,         1,
                         0.8414710, 0.5403023,  0.0099998, 0.9999500,
                         0.9092974, -0.4161468, 0.0199987, 0.9998000};
  EXPECT_TRUE(close(sinusoidal_codes(positions, 4), expected, 1e-6));
}

TEST(SinusoidalCodes, InHalvesAreThoseOfTheReferenceCode) {
  const std::vector<int> one{1};
  EXPECT_TRUE(close(sinusoidal_codes(one, 4, SineLayout::kHalves),
                    Doubles{0.8414710, 0.0001, 0.5403023, 1.0}, 1e-6));
  const Tensor odd = sinusoidal_codes(one, 5, SineLayout::kHalves);
  EXPECT_EQ(odd[4], 0.0f);
}

TEST(SinusoidalCodes, HaveProductsThatDependOnTheDistanceAlone) {
  std::vector<int> positions(40);
  std::iota(positions.begin(), positions.end(), 0);
  const Tensor codes = sinusoidal_codes(positions, 8);
  const double expected[] = {4,        3.535256, 2.563718,
                             1.964890, 2.266609, 3.159983};
  for (int k = 0; k < 6; ++k) {
    for (int start : {0, 3, 17, 34}) {
      EXPECT_NEAR(dot(codes, start, start + k), expected[k], 1e-5);
    }
  }
}

TEST(SinusoidalCodes, TurnByFixedAnglesFromOnePositionToALaterOne) {
  constexpr int kLater = 5;
  for (const int position : {0, 3, 40}) {
    const std::vector<int> two{position, position + kLater};
    const Tensor codes = sinusoidal_codes(two, 8);
    for (int i = 0; i < 4; ++i) {
      const double angle = kLater * std::pow(10000.0, -2.0 * i / 8);
      const double sine = codes[2 * i], cosine = codes[2 * i + 1];
      EXPECT_NEAR(codes[8 + 2 * i],
                  sine * std::cos(angle) + cosine * std::sin(angle), 1e-6);
      EXPECT_NEAR(codes[8 + 2 * i + 1],
                  cosine * std::cos(angle) - sine * std::sin(angle), 1e-6);
    }
  }
}

TEST(LearnedCodes, GiveTheGradientToTheRowsUsedAlone) {
  LearnedCodes codes({.longest = 4}, 3, RandomKey(1));
  sum(codes(std::vector<int>{2, 0, 2})).backward();
  const Tensor grad = codes.table().grad();
  EXPECT_TRUE(close(grad, Doubles{1, 1, 1, 0, 0, 0, 2, 2, 2, 0, 0, 0}, 1e-6));
}

TEST(LearnedCodes, RefuseClipOrWrapLaterPositions) {
  const std::vector<int> late{5}, last{3}, wrapped{1};
  const LearnedCodes strict({.longest = 4}, 3, RandomKey(1));
  try {
    strict(late);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("5 has no learned code"),
              std::string::npos)
        << e.what();
  }
  const LearnedCodes clip({.longest = 4, .beyond = BeyondTable::kClip}, 3,
                          RandomKey(1));
  EXPECT_TRUE(same_bits(clip(late).value().span(), clip(last).value().span()));
  const LearnedCodes wrap({.longest = 4, .beyond = BeyondTable::kWrap}, 3,
                          RandomKey(1));
  EXPECT_TRUE(
      same_bits(wrap(late).value().span(), wrap(wrapped).value().span()));
}

}  // namespace
}  // namespace fovea
