#include "fovea/autograd/gather.h"

#include <cmath>

#include "fovea/autograd/elementwise.h"
#include "fovea/base/check.h"
#include "support/check_op.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library
using Inputs = std::vector<Doubles>;

TEST(GatherOps, LookUpRowsAndAddUpTheGradientsOfDuplicates) {
  const std::vector<int> ids{3, 0, 3, 3, 1};
  check_op([&](const auto& v) { return gather(v[0], ids); },
           [&](const Inputs& in) {
             Doubles y;
             for (int id : ids) {
               y.insert(y.end(), &in[0][id * 7], &in[0][id * 7] + 7);
             }
             return y;
           },
           {random_tensor({5, 7}, 1)});
}

TEST(GatherOps, JoinColumnsAndRows) {
  check_op([](const auto& v) { return concat_columns(v); },
           [](const Inputs& in) {
             Doubles y;
             for (int i = 0; i < 3; ++i) {
               y.insert(y.end(), &in[0][i * 2], &in[0][i * 2] + 2);
               y.insert(y.end(), &in[1][i * 5], &in[1][i * 5] + 5);
             }
             return y;
           },
           {random_tensor({3, 2}, 1), random_tensor({3, 5}, 2)});
  check_op([](const auto& v) { return concat_rows(v); },
           [](const Inputs& in) {
             Doubles y = in[0];
             y.insert(y.end(), in[1].begin(), in[1].end());
             return y;
           },
           {random_tensor({3, 2}, 1), random_tensor({4, 2}, 2)});
}

TEST(GatherOps, CutColumnsAndRows) {
  check_op([](const auto& v) { return slice_columns(v[0], 2, 5); },
           [](const Inputs& in) {
             Doubles y;
             for (int i = 0; i < 3; ++i) {
               y.insert(y.end(), &in[0][i * 7 + 2], &in[0][i * 7 + 5]);
             }
             return y;
           },
           {random_tensor({3, 7}, 1)});
  check_op([](const auto& v) { return slice_rows(v[0], 1, 3); },
           [](const Inputs& in) {
             return Doubles(in[0].begin() + 7, in[0].begin() + 21);
           },
           {random_tensor({4, 7}, 1)});
}

TEST(GatherOps, CutAndJoinThroughInnerNodes) {
  // Borrowed parts of one gradient, and several slices of one value.
  check_op(
      [](const auto& v) {
        const Var x = 2.0f * v[0];
        const Var y = concat_rows({slice_rows(x, 2, 4), slice_rows(x, 0, 2)});
        return concat_rows({y + x, tanh(y)});
      },
      [](const Inputs& in) {
        Doubles y;
        for (int i = 0; i < 12; ++i) y.push_back(2 * in[0][(i + 6) % 12]);
        Doubles z;
        for (int i = 0; i < 12; ++i) z.push_back(y[i] + 2 * in[0][i]);
        for (int i = 0; i < 12; ++i) z.push_back(std::tanh(y[i]));
        return z;
      },
      {random_tensor({4, 3}, 1)});
}

TEST(GatherOps, Reshape) {
  check_op(
      [](const auto& v) {
        return reshape(2.0f * v[0], {6, 2});
      },
      [](const Inputs& in) {
        Doubles y = in[0];
        for (double& v : y) v *= 2;
        return y;
      },
      {random_tensor({3, 4}, 1)});
}

TEST(GatherOps, WorkOnEmptyParts) {
  const Var x = Var::parameter(random_tensor({3, 4}, 1));
  const Var none = slice_columns(x, 2, 2);
  EXPECT_EQ(none.shape(), Shape({3, 0}));
  const Var y = concat_columns({none, x});
  EXPECT_EQ(y.shape(), Shape({3, 4}));
  y.backward(Tensor::full({3, 4}, 1.0f));
  EXPECT_EQ(x.grad()[5], 1.0f);
  EXPECT_EQ(gather(x, {}).shape(), Shape({0, 4}));
}

TEST(GatherOps, RefuseWhatDoesNotFit) {
  const Var x = Tensor::zeros({3, 4});
  EXPECT_THROW(gather(x, std::vector{3}), Error);
  EXPECT_THROW(gather(x, std::vector{-1}), Error);
  EXPECT_THROW(concat_rows({x, Tensor::zeros({3, 5})}), Error);
  EXPECT_THROW(concat_columns({x, Tensor::zeros({4, 4})}), Error);
  EXPECT_THROW(concat_columns(std::span<const Var>()), Error);
  EXPECT_THROW(slice_columns(x, 3, 5), Error);
  EXPECT_THROW(slice_rows(x, 2, 1), Error);
  EXPECT_THROW(reshape(x, {5}), Error);
}

}  // namespace
}  // namespace fovea
