#include "fovea/autograd/cross_entropy.h"

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_cross_entropy.h"

namespace fovea {
namespace {

using namespace fovea::testing;

constexpr int kRows = 5, kClasses = 11;
const std::vector<int> kTargets = {3, -1, 0, 10, 3};

// Logits that an op has made, as in a model: x itself is not consumed.
Var made_logits(const Var& x) {
  return record(x.value().clone(), {x},
                [](const Tensor& dy, Grads dx) { dx[0].add(dy); });
}

TEST(CrossEntropyOp, DividesTheLossAndItsGradientByTheNormaliser) {
  const Tensor x = random_tensor({kRows, kClasses}, 1);
  for (double normaliser : {0.0, 1.0, 2.5}) {
    const double divisor = normaliser == 0.0 ? 4.0 : normaliser;
    const Var leaf = Var::parameter(x.clone());
    const CrossEntropy result =
        cross_entropy(made_logits(leaf), kTargets,
                      {.smoothing = 0.125f, .normaliser = normaliser});
    const Doubles losses =
        twin_cross_entropy(to_double(x), kClasses, kTargets, {0.125, false});
    const Doubles nll =
        twin_cross_entropy(to_double(x), kClasses, kTargets, {});
    double sum = 0, nll_sum = 0;
    for (double loss : losses) sum += loss;
    for (double loss : nll) nll_sum += loss;
    EXPECT_NEAR(result.loss.value().item(), sum / divisor, 1e-6 * sum);
    EXPECT_NEAR(result.sum, sum, 1e-6 * sum);
    EXPECT_NEAR(result.nll, nll_sum, 1e-6 * nll_sum);
    EXPECT_EQ(result.rows, 4);
    EXPECT_EQ(result.loss.shape(), Shape());
    result.loss.backward();
    const Doubles dx =
        twin_cross_entropy_gradient(to_double(x), kClasses, kTargets,
                                    {0.125, false}, Doubles(5, 1 / divisor));
    EXPECT_TRUE(close(leaf.grad(), dx, kGradientTolerance));
  }
}

TEST(CrossEntropyOp, MultipliesItsGradientByTheIncomingOne) {
  const Tensor x = random_tensor({kRows, kClasses}, 1);
  const Var leaf = Var::parameter(x.clone());
  const CrossEntropy result =
      cross_entropy(made_logits(leaf), kTargets,
                    {.smoothing = 0.25f, .form = Smoothing::kAllClasses});
  result.loss.backward(Tensor::full({}, -3.0f));
  EXPECT_TRUE(
      close(leaf.grad(),
            twin_cross_entropy_gradient(to_double(x), kClasses, kTargets,
                                        {0.25, true}, Doubles(5, -3.0 / 4)),
            kGradientTolerance));
}

TEST(CrossEntropyOp, WeighsRowsOneByOne) {
  const Tensor x = random_tensor({kRows, kClasses}, 1);
  const Var leaf = Var::parameter(x.clone());
  const Var loss = cross_entropy_rows(made_logits(leaf), kTargets);
  EXPECT_TRUE(close(loss.value(),
                    twin_cross_entropy(to_double(x), kClasses, kTargets, {}),
                    1e-6));
  const Tensor dy = random_tensor({kRows}, 4);
  loss.backward(dy);
  EXPECT_TRUE(close(leaf.grad(),
                    twin_cross_entropy_gradient(to_double(x), kClasses,
                                                kTargets, {}, to_double(dy)),
                    kGradientTolerance));
}

TEST(CrossEntropyOp, LeavesTheLogitsAloneWithoutAGraph) {
  const Tensor x = random_tensor({kRows, kClasses}, 1);
  const Var leaf = Var::parameter(x.clone());
  double with_graph = 0;
  {
    NoGrad scope;
    with_graph = cross_entropy(leaf, kTargets).sum;
    cross_entropy_rows(leaf, kTargets);
  }
  EXPECT_TRUE(same_bits(leaf.value().span(), x.span()));
  EXPECT_EQ(cross_entropy(x, kTargets).sum, with_graph);
  EXPECT_EQ(cross_entropy(leaf, kTargets).sum, with_graph);
}

TEST(CrossEntropyOp, HoldsOneMatrixOfTheSizeOfTheLogits) {
  const Var leaf = Var::parameter(random_tensor({kRows, kClasses}, 1));
  const Var logits = made_logits(leaf);
  cross_entropy(logits, kTargets);
  // The gradient stands where the logits stood.
  double sum = 0;
  for (float v : logits.value().span()) sum += v;
  EXPECT_NEAR(sum, 0, 1e-6);
}

TEST(CrossEntropyOp, OfNothingIsZero) {
  const Var none = Var::parameter(Tensor(Shape{0, 3}));
  EXPECT_EQ(cross_entropy(none, {}).loss.value().item(), 0);
  const Var leaf = Var::parameter(random_tensor({2, 3}, 1));
  const std::vector<int> ignored = {-1, -1};
  const CrossEntropy result = cross_entropy(made_logits(leaf), ignored);
  EXPECT_EQ(result.loss.value().item(), 0);
  EXPECT_EQ(result.rows, 0);
  result.loss.backward();
  EXPECT_TRUE(same_bits(leaf.grad().span(), std::vector<float>(6, 0.0f)));
}

TEST(CrossEntropyOp, NamesWrongArguments) {
  const Var x = Tensor::zeros({2, 3});
  const std::vector<int> high = {0, 3}, low = {-2, 0}, few = {0}, good = {0, 1};
  EXPECT_THROW(cross_entropy(x, high), Error);
  EXPECT_THROW(cross_entropy(x, low), Error);
  EXPECT_THROW(cross_entropy(x, few), Error);
  EXPECT_THROW(cross_entropy(x, good, {.smoothing = 1.0f}), Error);
  EXPECT_THROW(cross_entropy(Tensor::zeros({6}), good), Error);
}

}  // namespace
}  // namespace fovea
