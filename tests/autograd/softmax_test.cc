#include "fovea/autograd/softmax.h"

#include "fovea/base/check.h"
#include "support/check_op.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_softmax.h"
#include "support/twin_sparsemax.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library
using Inputs = std::vector<Doubles>;

TEST(SoftmaxOps, NormaliseTheLastAxis) {
  const Tensor x = random_tensor({2, 3, 5}, 1);
  const std::vector<int> rows(6, 5);
  check_op([](const auto& v) { return softmax(v[0]); },
           [&](const Inputs& in) { return twin_softmax(in[0], rows); }, {x});
  check_op([](const auto& v) { return log_softmax(v[0]); },
           [&](const Inputs& in) { return twin_log_softmax(in[0], rows); },
           {x});
}

TEST(SoftmaxOps, NormaliseRaggedRows) {
  const std::vector<int> lengths{3, 0, 1, 9};
  const Segments rows = Segments::from_lengths(lengths);
  const Tensor x = random_tensor({13}, 1);
  check_op([&](const auto& v) { return softmax(v[0], rows); },
           [&](const Inputs& in) { return twin_softmax(in[0], lengths); }, {x});
  check_op([&](const auto& v) { return log_softmax(v[0], rows); },
           [&](const Inputs& in) { return twin_log_softmax(in[0], lengths); },
           {x});
}

TEST(SoftmaxOps, GiveSparseWeightsToRaggedRows) {
  const std::vector<int> lengths{3, 0, 1, 9};
  const Segments rows = Segments::from_lengths(lengths);
  const Tensor x = random_tensor({13}, 1);
  check_op([&](const auto& v) { return sparsemax(v[0], rows); },
           [&](const Inputs& in) { return twin_sparsemax(in[0], lengths); },
           {x});
  check_op([&](const auto& v) { return entmax15(v[0], rows); },
           [&](const Inputs& in) { return twin_entmax15(in[0], lengths); },
           {x});
  for (int k : {1, 2, 8, 100}) {
    check_op([&](const auto& v) { return topk_softmax(v[0], rows, k); },
             [&](const Inputs& in) {
               return twin_softmax(twin_keep_topk(in[0], lengths, k), lengths);
             },
             {x});
  }
}

TEST(SoftmaxOps, WorkWithoutRows) {
  EXPECT_EQ(softmax(Tensor({0, 5})).value().size(), 0);
  EXPECT_EQ(softmax(Tensor({0}), Segments()).value().size(), 0);
}

TEST(SoftmaxOps, RefuseRowsThatDoNotFit) {
  const Segments rows = Segments::from_lengths(std::vector{3, 4});
  EXPECT_THROW(softmax(Tensor::zeros({8}), rows), Error);
  EXPECT_THROW(sparsemax(Tensor::zeros({8}), rows), Error);
  EXPECT_THROW(topk_softmax(Tensor::zeros({7}), rows, 0), Error);
}

}  // namespace
}  // namespace fovea
