#include "fovea/attend/pointer.h"

#include <cmath>

#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using testing::close;
using testing::Doubles;
using testing::random_tensor;

// SPEC B18: the .5, cat .3, unk .2; the source is "cat dog", and dog is word 3
// of the extended vocabulary.
TEST(Pointer, GivesTheNumbersOfTheSpecification) {
  const Weights weights{Tensor::of({2}, {0.75f, 0.25f}),
                        Pairs({{.key = 0, .keys = 2}}, 1, 1)};
  const std::vector<int> ids = {1, 3};
  const Tensor p = copy_mixture(Tensor::of({1, 3}, {0.5f, 0.3f, 0.2f}),
                                Tensor::of({1}, {0.8f}), weights, {ids, 4})
                       .value();
  EXPECT_EQ(p.shape(), Shape({1, 4}));
  EXPECT_TRUE(close(p, Doubles{0.40, 0.39, 0.16, 0.05}, 1e-6));
}

// Two sequences of queries over sources of 4 and 1 words; one query without a
// source. A word that comes twice gets the sum.
struct Case {
  Pairs pairs{{{.key = 0, .keys = 4},
               {.key = 0, .keys = 4},
               {.key = 4, .keys = 1},
               {.key = 5, .keys = 0}},
              1,
              1};
  std::vector<int> ids = {2, 5, 2, 0, 6};
  int vocabulary = 5, extended = 7;
};

Doubles twin_mixture(const Case& c, const Doubles& p, const Doubles& gate,
                     const Doubles& alpha) {
  const size_t rows = c.pairs.rows();
  Doubles out(rows * c.extended, 0.0);
  for (size_t m = 0; m < rows; ++m) {
    double* y = out.data() + m * c.extended;
    for (int w = 0; w < c.vocabulary; ++w) {
      y[w] = gate[m] * p[m * c.vocabulary + w];
    }
    const Pairs::Row& row = c.pairs.row(m);
    for (int j = 0; j < row.keys; ++j) {
      y[c.ids[row.key + j]] += (1 - gate[m]) * alpha[c.pairs.begin(m, 0) + j];
    }
  }
  return out;
}

TEST(Pointer, MixesWithTheRightGradients) {
  const Case c;
  testing::check_op(
      [&](const auto& in) {
        return copy_mixture(in[0], in[1], {in[2], c.pairs},
                            {c.ids, c.extended});
      },
      [&](const auto& in) { return twin_mixture(c, in[0], in[1], in[2]); },
      {random_tensor({4, c.vocabulary}, 1), random_tensor({4}, 2),
       random_tensor({c.pairs.size()}, 3)});
}

TEST(Pointer, TakesItsGateFromTheStateWithTheRightGradients) {
  const Case c;
  const int state = 3;
  Pointer pointer(state, RandomKey(1));
  // Inputs: p_vocab, state, weights, w, b.
  const auto twin = [&](const std::vector<Doubles>& in) {
    Doubles gate;
    for (int m = 0; m < c.pairs.rows(); ++m) {
      double x = in[4][0];
      for (int k = 0; k < state; ++k) x += in[3][k] * in[1][m * state + k];
      gate.push_back(1 / (1 + std::exp(-x)));
    }
    return twin_mixture(c, in[0], gate, in[2]);
  };
  testing::check_layer(
      Params(pointer),
      [&](const auto& in) {
        return pointer(in[0], in[1], {in[2], c.pairs}, {c.ids, c.extended});
      },
      twin,
      {random_tensor({4, c.vocabulary}, 1), random_tensor({4, state}, 2),
       random_tensor({c.pairs.size()}, 3)});
}

TEST(Pointer, KeepsADistributionADistribution) {
  const Case c;
  const Pointer pointer(3, RandomKey(4));
  const Var alpha =
      softmax(Var(random_tensor({c.pairs.size()}, 1)), c.pairs.segments());
  const Tensor p =
      pointer(softmax(Var(random_tensor({4, c.vocabulary}, 2))),
              random_tensor({4, 3}, 3), {alpha, c.pairs}, {c.ids, c.extended})
          .value();
  for (int m = 0; m < 3; ++m) {  // the last row has no source
    double sum = 0;
    for (int w = 0; w < c.extended; ++w) {
      EXPECT_GE(p[m * c.extended + w], 0.0f);
      sum += p[m * c.extended + w];
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

TEST(Pointer, NeedsNoWordsBeyondTheVocabulary) {
  const Weights weights{Tensor::of({1}, {1}),
                        Pairs({{.key = 0, .keys = 1}}, 1, 1)};
  const std::vector<int> ids = {1};
  const Tensor p = copy_mixture(Tensor::of({1, 2}, {0.5f, 0.5f}),
                                Tensor::of({1, 1}, {0.5f}), weights, {ids, 2})
                       .value();
  EXPECT_TRUE(close(p, Doubles{0.25, 0.75}, 1e-6));
}

TEST(Pointer, RefusesWhatDoesNotFit) {
  const Case c;
  const Weights weights{random_tensor({c.pairs.size()}, 3), c.pairs};
  const Tensor p = random_tensor({4, 5}, 1), gate = random_tensor({4}, 2);
  const std::vector<int> few = {1, 2}, large = {2, 5, 2, 0, 7};
  EXPECT_THROW(copy_mixture(p, gate, weights, {few, 7}), Error);
  EXPECT_THROW(copy_mixture(p, gate, weights, {large, 7}), Error);
  EXPECT_THROW(copy_mixture(p, gate, weights, {c.ids, 4}), Error);
  EXPECT_THROW(copy_mixture(p.row_range(0, 3), gate, weights, {c.ids, 7}),
               Error);
  const Pairs two({{.key = 0, .keys = 4}}, 2, 1);
  EXPECT_THROW(copy_mixture(p.row_range(0, 1), gate.row_range(0, 1),
                            {random_tensor({8}, 1), two}, {c.ids, 7}),
               Error);
}

}  // namespace
}  // namespace fovea
