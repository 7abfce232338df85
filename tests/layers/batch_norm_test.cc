#include "fovea/layers/batch_norm.h"

#include "support/check_layer.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_image.h"

namespace fovea {
namespace {

using testing::Doubles;
using testing::random_tensor;

Pass training() {
  Pass pass;
  pass.training = true;
  return pass;
}

TEST(BatchNormLayer, UsesTheStatisticsOfItsInputInTraining) {
  BatchNorm norm(3);
  testing::check_layer(
      Params(norm), [&](const auto& in) { return norm(in[0], training()); },
      [](const std::vector<Doubles>& in) {
        return testing::twin_batch_norm(in[0], in[1], in[2], 1e-5);
      },
      {random_tensor({2, 4, 3}, 1)});
}

TEST(BatchNormLayer, HandsOverNewRunningStatisticsAndKeepsTheOld) {
  const BatchNorm norm(1);
  std::vector<Update> updates;
  Pass pass = training();
  pass.updates = &updates;
  norm(Tensor::of({2, 1}, {1, 3}), pass);
  ASSERT_EQ(updates.size(), 2u);
  EXPECT_EQ(norm.running.mean.item(), 0.0f);
  EXPECT_NEAR(updates[0].value.item(), 0.2, 1e-6);  // 0.1 * 2
  EXPECT_NEAR(updates[1].value.item(), 1.1, 1e-6);  // 0.9 * 1 + 0.1 * 2
  updates[0].buffer.copy_from(updates[0].value);
  EXPECT_NEAR(norm.running.mean.item(), 0.2, 1e-6);
}

TEST(BatchNormLayer, UsesTheRunningStatisticsOtherwise) {
  const BatchNorm norm(1);
  norm.running.mean.fill(1);
  norm.running.variance.fill(4);
  const Tensor y = norm(Tensor::of({2, 1}, {1, 3}), {}).value();
  EXPECT_TRUE(testing::close(y, Doubles{0, 1}, 1e-5));
}

TEST(BatchNormLayer, ListsTwoParametersAndTwoBuffers) {
  BatchNorm norm(4);
  const Params params(norm);
  EXPECT_EQ(params.count(), 8);
  ASSERT_EQ(params.buffers().size(), 2u);
  EXPECT_EQ(params.buffers()[0].name, "mean");
}

}  // namespace
}  // namespace fovea
