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

}  // namespace
}  // namespace fovea
