#include "fovea/attend/block.h"

#include <gtest/gtest.h>

#include "fovea/autograd/elementwise.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace fovea::testing;

class JoinTest : public ::testing::Test {
 protected:
  JoinTest() {
    for (LayerNorm* norm : {&own_, &next_}) {
      norm->parts().gain.value().copy_from(random_tensor({6}, seed_++));
      norm->parts().bias.value().copy_from(random_tensor({6}, seed_++));
    }
  }
  uint64_t seed_ = 10;
  LayerNorm own_{6}, next_{6};
  Var x_ = random_tensor({3, 6}, 1), f_ = random_tensor({3, 6}, 2);
};

TEST_F(JoinTest, PreNormAddsAndNormsForTheNextSublayer) {
  const Join join(NormOrder::kPre, 0.3f);
  const Stream begin = join.begin(x_, own_);
  EXPECT_TRUE(close(begin.sum.value().span(), x_.value().span(), 0));
  EXPECT_TRUE(close(begin.read.value().span(), own_(x_).value().span(), 1e-6));
  const Stream after = join.add(begin, f_, own_, next_, Pass{});
  EXPECT_TRUE(close(after.sum.value().span(), (x_ + f_).value().span(), 1e-6));
  EXPECT_TRUE(
      close(after.read.value().span(), next_(x_ + f_).value().span(), 1e-5));
}

TEST_F(JoinTest, PostNormNormsTheSumAndGoesOnWithIt) {
  const Join join(NormOrder::kPost, 0.3f);
  const Stream begin = join.begin(x_, own_);
  EXPECT_TRUE(close(begin.read.value().span(), x_.value().span(), 0));
  const Stream after = join.add(begin, f_, own_, next_, Pass{});
  EXPECT_TRUE(
      close(after.read.value().span(), own_(x_ + f_).value().span(), 1e-5));
  EXPECT_TRUE(close(after.sum.value().span(), after.read.value().span(), 0));
}

TEST_F(JoinTest, DropsInTrainingOnly) {
  const Join join(NormOrder::kPre, 0.5f);
  const Stream begin = join.begin(x_, own_);
  const Pass training{.training = true, .key = RandomKey(4)};
  const Tensor sum = join.add(begin, f_, own_, next_, training).sum.value();
  int dropped = 0;
  for (int64_t i = 0; i < sum.size(); ++i) dropped += sum[i] == x_.value()[i];
  EXPECT_GT(dropped, 2);
  EXPECT_LT(dropped, 16);
}

}  // namespace
}  // namespace fovea
