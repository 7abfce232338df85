#include "fovea/kernels/cross_entropy.h"

#include <cmath>
#include <limits>

#include "fovea/base/rng.h"
#include "support/compare.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/twin_cross_entropy.h"

namespace fovea::kernels {
namespace {

using namespace fovea::testing;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<int> random_targets(int rows, int classes) {
  std::vector<int> targets(rows);
  for (int i = 0; i < rows; ++i) {
    targets[i] = random_below(RandomKey(rows), i, classes);
    if (i % 5 == 3) targets[i] = -1;
  }
  return targets;
}

std::vector<double> field(const std::vector<RowLoss>& rows,
                          float RowLoss::*member) {
  std::vector<double> out;
  for (const RowLoss& row : rows) out.push_back(row.*member);
  return out;
}

struct Form {
  Smoothing kernel;
  TwinSmoothing twin;
};
const Form kForms[] = {{Smoothing::kWrongClasses, {0.0, false}},
                       {Smoothing::kWrongClasses, {0.125, false}},
                       {Smoothing::kAllClasses, {0.125, true}}};

void expect_like_twin(int rows, int classes, const Form& form) {
  SCOPED_TRACE(::testing::Message() << rows << " x " << classes);
  std::vector<float> x = random_floats(int64_t{rows} * classes, 3);
  for (float& v : x) v = 4 * v + 50;
  const std::vector<double> logits = to_double(x);
  const std::vector<int> targets = random_targets(rows, classes);
  const CrossEntropyOptions options{
      .smoothing = static_cast<float>(form.twin.eps),
      .form = form.kernel,
      .scale = 0.5f};
  const Doubles dy(rows, 0.5);
  const Doubles loss = twin_cross_entropy(logits, classes, targets, form.twin);
  const Doubles nll = twin_cross_entropy(logits, classes, targets, {});
  const Doubles dx =
      twin_cross_entropy_gradient(logits, classes, targets, form.twin, dy);

  std::vector<RowLoss> losses(rows);
  cross_entropy({x.data(), rows, classes}, targets, losses, options);
  EXPECT_TRUE(close(to_double(x), logits, 0)) << "logits have changed";
  EXPECT_TRUE(close(field(losses, &RowLoss::loss), loss, 1e-6));
  EXPECT_TRUE(close(field(losses, &RowLoss::nll), nll, 1e-6));
  cross_entropy_with_gradient({x.data(), rows, classes}, targets, losses,
                              options);
  EXPECT_TRUE(close(field(losses, &RowLoss::loss), loss, 1e-6));
  EXPECT_TRUE(close(field(losses, &RowLoss::nll), nll, 1e-6));
  EXPECT_TRUE(close(x, dx, 2e-6));
}

TEST(CrossEntropy, TwinGradientsAreRight) {
  const std::vector<int> targets = {2, -1, 0};
  for (const Form& form : kForms) {
    const auto twin = [&](const std::vector<Doubles>& in) {
      return twin_cross_entropy(in[0], 5, targets, form.twin);
    };
    const auto gradient = [&](const std::vector<Doubles>& in,
                              const Doubles& dy) {
      return std::vector<Doubles>{
          twin_cross_entropy_gradient(in[0], 5, targets, form.twin, dy)};
    };
    EXPECT_TRUE(twin_gradient_is_right(twin, gradient, {random_doubles(15, 1)},
                                       random_doubles(3, 2)));
  }
}

TEST(CrossEntropy, EqualsItsTwinForAnyNumberOfRowsAndClasses) {
  on_every_target([] {
    for (const Form& form : kForms) {
      for (int classes : {2, 3, 7, 8, 9, 31, 33, 1023, 1024, 1025, 2060}) {
        expect_like_twin(7, classes, form);
      }
      expect_like_twin(0, 9, form);
      expect_like_twin(1, effort(50003, 40003), form);
    }
  });
}

TEST(CrossEntropy, GivesTheNumbersOfBothFormsOfSmoothing) {
  on_every_target([] {
    std::vector<float> p = {.7f, .1f, .1f, .05f, .05f};
    for (float& v : p) v = std::log(v);
    std::vector<RowLoss> loss(1);
    const int target[] = {0};
    const auto run = [&](const std::vector<float>& logits, Smoothing form) {
      cross_entropy({logits.data(), 1, 5}, target, loss,
                    {.smoothing = 0.1f, .form = form});
      return loss[0].loss;
    };
    EXPECT_NEAR(run(p, Smoothing::kWrongClasses), 0.58592332, 2e-7);
    EXPECT_NEAR(run(p, Smoothing::kAllClasses), 0.54007364, 2e-7);
    // The floor: the loss of the smoothed target itself.
    const auto floor = [&](Smoothing form, bool all) {
      std::vector<float> q = to_float(twin_smoothed_target(5, 0, {0.1, all}));
      for (float& v : q) v = std::log(v);
      return run(q, form);
    };
    EXPECT_NEAR(floor(Smoothing::kWrongClasses, false), 0.46371241, 2e-7);
    EXPECT_NEAR(floor(Smoothing::kAllClasses, true), 0.38967292, 2e-7);
  });
}

TEST(CrossEntropy, DoesNotDependOnTheNumberOfThreads) {
  const int rows = 61, classes = 1003;
  const std::vector<float> x = random_floats(rows * classes, 5);
  const std::vector<int> targets = random_targets(rows, classes);
  std::vector<float> first, gradient;
  with_threads({1, 2, 4}, [&](int) {
    gradient = x;
    std::vector<RowLoss> losses(rows);
    cross_entropy_with_gradient({gradient.data(), rows, classes}, targets,
                                losses, {.smoothing = 0.1f});
    if (first.empty()) first = gradient;
    EXPECT_TRUE(same_bits(gradient, first));
  });
}

TEST(CrossEntropy, LeavesIgnoredRowsWithoutLossOrGradient) {
  std::vector<float> x(20, kInfinity);
  std::vector<RowLoss> losses(2, RowLoss{1, 1, true, true});
  const int targets[] = {7, 7};
  cross_entropy_with_gradient({x.data(), 2, 10}, targets, losses,
                              {.ignore = 7});
  EXPECT_TRUE(same_bits(x, std::vector<float>(20, 0.0f)));
  for (const RowLoss& row : losses) {
    EXPECT_EQ(row.loss, 0);
    EXPECT_EQ(row.nll, 0);
    EXPECT_FALSE(row.counted);
    EXPECT_FALSE(row.correct);
  }
}

TEST(CrossEntropy, TakesForbiddenClassesAndFarAwayLogits) {
  on_every_target([] {
    std::vector<float> x(3000, -kInfinity);  // whole blocks are forbidden
    x[1100] = 3;
    x[1101] = 3;
    x[2] = -1000;
    std::vector<RowLoss> loss(1);
    const int target[] = {1101};
    cross_entropy_with_gradient({x.data(), 1, 3000}, target, loss, {});
    EXPECT_NEAR(loss[0].loss, std::log(2.0), 1e-7);
    EXPECT_TRUE(loss[0].correct);
    EXPECT_EQ(x[0], 0);
    EXPECT_EQ(x[2], 0);
    EXPECT_NEAR(x[1100], 0.5, 1e-7);
    EXPECT_NEAR(x[1101], -0.5, 1e-7);
  });
}

TEST(CrossEntropy, PassesNotANumberOn) {
  on_every_target([] {
    for (int where : {0, 12, 20}) {
      std::vector<float> x(21, 1.0f);
      x[where] = std::numeric_limits<float>::quiet_NaN();
      std::vector<RowLoss> loss(1);
      const int target[] = {5};
      cross_entropy_with_gradient({x.data(), 1, 21}, target, loss, {});
      EXPECT_TRUE(std::isnan(loss[0].loss));
      EXPECT_TRUE(std::isnan(x[5]));
    }
  });
}

TEST(CrossEntropy, CountsARowAsCorrectWhenNoClassScoresHigher) {
  std::vector<float> x = {1, 2, 2, 1, 2, 3};
  std::vector<RowLoss> losses(2);
  const int targets[] = {2, 1};
  cross_entropy({x.data(), 2, 3}, targets, losses, {});
  EXPECT_TRUE(losses[0].correct);
  EXPECT_FALSE(losses[1].correct);
}

TEST(CrossEntropy, OfASingleClassIsZero) {
  std::vector<float> x = {7};
  std::vector<RowLoss> loss(1);
  const int target[] = {0};
  for (Smoothing form : {Smoothing::kWrongClasses, Smoothing::kAllClasses}) {
    x = {7};
    cross_entropy_with_gradient({x.data(), 1, 1}, target, loss,
                                {.smoothing = 0.1f, .form = form});
    EXPECT_EQ(loss[0].loss, 0);
    EXPECT_EQ(x[0], 0);
  }
}

}  // namespace
}  // namespace fovea::kernels
