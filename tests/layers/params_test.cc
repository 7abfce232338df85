#include "fovea/layers/params.h"

#include "fovea/base/check.h"
#include "fovea/layers/linear.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

struct Pair {
  Linear first{3, 4, true, RandomKey(1)};
  Linear second{4, 2, false, RandomKey(2)};
  Tensor mean = Tensor::zeros({2});
  void params(Params& p) {
    p("first", first);
    p("second", second);
    p.buffer("mean", mean);
  }
};

struct Twice {
  Linear layer{3, 4, true, RandomKey(1)};
  void params(Params& p) {
    p("layer", layer);
    p("layer", layer);
  }
};

TEST(Params, ListsNamesOfChildrenWithTheirPrefix) {
  Pair pair;
  const Params params(pair);
  std::vector<std::string> names;
  for (const auto& p : params.parameters()) names.push_back(p.name);
  EXPECT_EQ(names, (std::vector<std::string>{"first.weight", "first.bias",
                                             "second.weight"}));
  ASSERT_EQ(params.buffers().size(), 1u);
  EXPECT_EQ(params.buffers()[0].name, "mean");
  EXPECT_EQ(params.count(), 3 * 4 + 4 + 4 * 2);
}

TEST(Params, RefusesTwoOfOneName) {
  Twice twice;
  try {
    Params params(twice);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "two parameters are named 'layer.weight'");
  }
}

TEST(Params, PrepareKeepsResultsAndMakesRowsIndependent) {
  Pair pair;
  const Tensor x = random_tensor({50, 3}, 1);
  const NoGrad no_grad;
  const Tensor before = pair.second(pair.first(x)).value();
  Params(pair).prepare(Precision::kFloat32);
  const Tensor after = pair.second(pair.first(x)).value();
  EXPECT_TRUE(close(after.span(), before.span(), 1e-5));
  const Tensor alone = pair.second(pair.first(x.row_range(7, 8))).value();
  EXPECT_TRUE(same_bits(alone.span(), after.row_range(7, 8).span()));
  Params(pair).prepare(Precision::kInt8);
  const Tensor rough = pair.second(pair.first(x)).value();
  EXPECT_TRUE(close(rough.span(), before.span(), 0.05));
  EXPECT_FALSE(same_bits(rough.span(), after.span()));
}

TEST(Params, APreparedLayerStillHasGradients) {
  Pair pair;
  Params(pair).prepare(Precision::kFloat32);
  const Var x = Var::parameter(random_tensor({5, 3}, 1));
  const Var y = pair.first(x);
  y.backward(Tensor::full(y.shape(), 1.0f));
  EXPECT_TRUE(x.grad());
  EXPECT_TRUE(pair.first.weight.grad());
}

struct Tied {
  Linear first{3, 4, true, RandomKey(1)};
  Linear second = Linear::tied(first.weight, false);
  Linear normed = Linear::normed(3, 4, 0, RandomKey(2));
  void params(Params& p) {
    p("first", first);
    p("second", second);
    p("normed", normed);
  }
};

TEST(Params, ATiedWeightIsOneWeightOfTwoLayers) {
  Tied tied;
  const Params params(tied);
  ASSERT_EQ(params.weights().size(), 2u);
  EXPECT_EQ(params.weights()[0].name, "first.weight");
  EXPECT_EQ(params.weights()[0].packed.size(), 2u);
  int packed = 0;
  params.prepare(Precision::kFloat32, [&](const Params::Weight& w) {
    ++packed;
    return PackedWeight(w.matrix(), Precision::kFloat32);
  });
  EXPECT_EQ(packed, 2);
  const NoGrad none;
  const Tensor x = random_tensor({2, 3}, 1);
  EXPECT_TRUE(
      same_bits(tied.first(x).value().span(), tied.second(x).value().span()));
}

TEST(Params, KnowWhatAPreparedModelDoesNotNeed) {
  Tied tied;
  const Params params(tied);
  EXPECT_TRUE(params.is_needless(tied.first.weight));
  EXPECT_TRUE(params.is_needless(tied.normed.gain));
  EXPECT_FALSE(params.is_needless(tied.first.bias));
}

TEST(Params, ALayerWithoutItsWeightRefusesGradients) {
  Tied tied;
  const Params params(tied);
  params.prepare(Precision::kFloat32);
  tied.first.weight.fix(Tensor::without_memory({4, 3}));
  tied.first.bias.fix(tied.first.bias.value());
  const Tensor x = random_tensor({2, 3}, 1);
  EXPECT_TRUE(tied.first(x));
  EXPECT_THROW(tied.first(Var::parameter(x)), Error);
}

}  // namespace
}  // namespace fovea
