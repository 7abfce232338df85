#include "fovea/layers/pass.h"

#include "fovea/layers/dropout.h"
#include "support/compare.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

TEST(Pass, KnowsTheNameOfItsLayer) {
  const Pass pass;
  EXPECT_EQ(pass.name(), "");
  const Pass encoder = pass.in("encoder");
  const Pass layer = encoder.in("layer", 3);
  EXPECT_EQ(layer.name(), "encoder.layer.3");
  EXPECT_EQ(layer.in("self").name(), "encoder.layer.3.self");
}

TEST(Pass, GivesEachLayerRandomNumbersOfItsOwn) {
  const Pass pass{.training = true, .key = RandomKey(7)};
  const Var ones(Tensor::full({1000}, 1.0f));
  const Tensor a = drop(ones, 0.5f, pass.in("layer", 0)).value();
  const Tensor b = drop(ones, 0.5f, pass.in("layer", 1)).value();
  const Tensor again = drop(ones, 0.5f, pass.in("layer", 0)).value();
  EXPECT_FALSE(same_bits(a.span(), b.span()));
  EXPECT_TRUE(same_bits(a.span(), again.span()));
}

TEST(Pass, DropsNothingOutsideOfTraining) {
  const Var x(Tensor::full({8}, 1.0f));
  EXPECT_EQ(drop(x, 0.5f, Pass{}).value().data(), x.value().data());
}

}  // namespace
}  // namespace fovea
