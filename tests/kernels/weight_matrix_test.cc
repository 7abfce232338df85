#include "fovea/kernels/weight_matrix.h"

#include <gtest/gtest.h>

#include <vector>

#include "fovea/kernels/quantized.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea::kernels {
namespace {

using ::fovea::testing::random_floats;
using ::fovea::testing::same_bits;

constexpr int kRows = 5, kIn = 33, kOut = 21;
using Floats = std::vector<float>;

class WeightMatrixTest : public ::testing::TestWithParam<Precision> {
 protected:
  bool int8() const { return GetParam() == Precision::kInt8; }
  Floats by_itself(const PackedGemmOptions& options) const {
    Floats c(kRows * kOut);
    const MatrixView to(c.data(), kRows, kOut);
    if (int8()) {
      quantized_gemm(a(), QuantizedMatrix::from_out_in(w()), to, options);
    } else {
      packed_gemm(a(), PackedMatrix::from_out_in(w()), to, options);
    }
    return c;
  }
  Floats product(const WeightMatrix& m,
                 const PackedGemmOptions& options = {}) const {
    Floats c(kRows * m.out());
    m.multiply(a(), {c.data(), kRows, m.out()}, options);
    return c;
  }
  ConstMatrixView a() const { return {a_.data(), kRows, kIn}; }
  ConstMatrixView w() const { return {w_.data(), kOut, kIn}; }

  Floats a_ = random_floats(kRows * kIn, 1), w_ = random_floats(kOut * kIn, 2);
  Floats bias_ = random_floats(kOut, 3);
};

TEST_P(WeightMatrixTest, MultipliesAsItsPrecisionDoes) {
  const PackedGemmOptions options{.bias = bias_,
                                  .activation = Activation::kTanh};
  const auto m = WeightMatrix::from_out_in(w(), GetParam());
  EXPECT_EQ(m.in(), kIn);
  EXPECT_EQ(m.out(), kOut);
  EXPECT_TRUE(same_bits(product(m, options), by_itself(options)));
}

TEST_P(WeightMatrixTest, GivesSomeColumns) {
  const auto m = WeightMatrix::from_out_in(w(), GetParam());
  const std::vector<int> some = {20, 3, 3};
  const Floats all = product(m), few = product(m.columns(some));
  for (int i = 0; i < kRows; ++i) {
    for (size_t j = 0; j < some.size(); ++j) {
      EXPECT_EQ(few[i * some.size() + j], all[i * kOut + some[j]]);
    }
  }
  Floats column(kIn);
  m.copy_column(3, column);
  for (int k = 0; k < kIn; ++k) {
    EXPECT_NEAR(column[k], w_[3 * kIn + k], int8() ? 0.05f : 0.0f);
  }
}

INSTANTIATE_TEST_SUITE_P(BothPrecisions, WeightMatrixTest,
                         ::testing::Values(Precision::kFloat32,
                                           Precision::kInt8),
                         [](const auto& p) {
                           return p.param == Precision::kInt8 ? "Int8"
                                                              : "Float32";
                         });

TEST(WeightMatrix, IsEmptyAtFirst) {
  EXPECT_FALSE(WeightMatrix());
  const float one = 1;
  EXPECT_TRUE(WeightMatrix(PackedMatrix::from_out_in({&one, 1, 1})));
}

}  // namespace
}  // namespace fovea::kernels
