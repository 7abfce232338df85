#include "fovea/layers/convolution.h"

#include <gtest/gtest.h>

#include "fovea/autograd/gather.h"
#include "fovea/autograd/weight_norm.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace fovea::testing;

constexpr int kIn = 5, kOut = 7;

Convolution convolution(Conv1dReach reach, int taps, bool normed) {
  return Convolution(
      {.in = kIn, .out = kOut, .taps = taps, .reach = reach, .normed = normed},
      RandomKey(3));
}

// One that is packed answers by gathered windows: the same numbers, and the
// same bits whatever is beside a sequence.
TEST(Convolution, PackedItGivesTheSameBitsAloneAndInABatch) {
  const std::vector<int> lengths = {4, 1, 0, 9, 2};
  const Segments of = Segments::from_lengths(lengths);
  const Tensor x = random_tensor({of.total(), kIn}, 1);
  for (const auto reach :
       {Conv1dReach::kCausal, Conv1dReach::kCentred, Conv1dReach::kAhead}) {
    for (int taps : {1, 2, 3, 5}) {
      Convolution layer = convolution(reach, taps, true);
      const NoGrad none;
      const Tensor before = layer(x, of).value();
      Params(layer).prepare(Precision::kFloat32);
      const Tensor after = layer(x, of).value();
      EXPECT_TRUE(close(after.span(), before.span(), 1e-5));
      for (int b = 0; b < of.count(); ++b) {
        const Tensor alone = layer(x.row_range(of.begin(b), of.end(b)),
                                   Segments::from_lengths({&lengths[b], 1}))
                                 .value();
        EXPECT_TRUE(same_bits(alone.span(),
                              after.row_range(of.begin(b), of.end(b)).span()));
      }
    }
  }
}

TEST(Convolution, OfWindowsIsTheSameRowByRow) {
  const Convolution layer = convolution(Conv1dReach::kCausal, 3, true);
  const int length = 4;
  const Tensor x = random_tensor({length, kIn}, 1);
  const Var all = layer(x, Segments::from_lengths({&length, 1}));
  // The third row's window is the first three.
  const Var third = layer.of_windows(x.row_range(0, 3).reshaped({1, 3 * kIn}));
  EXPECT_TRUE(
      close(third.value().span(), all.value().row_range(2, 3).span(), 1e-5));
}

TEST(Convolution, NormalisedItBeginsAsThePlainOne) {
  const int length = 4;
  const Segments of = Segments::from_lengths({&length, 1});
  const Tensor x = random_tensor({length, kIn}, 1);
  const Var plain = convolution(Conv1dReach::kCentred, 3, false)(x, of);
  const Var normed = convolution(Conv1dReach::kCentred, 3, true)(x, of);
  EXPECT_TRUE(close(normed.value().span(), plain.value().span(), 1e-5));
}

}  // namespace
}  // namespace fovea
