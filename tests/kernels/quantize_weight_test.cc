#include "fovea/kernels/quantize_weight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/kernels/packed_gemm.h"
#include "fovea/kernels/quantized_matrix.h"
#include "support/random.h"

namespace fovea::kernels {
namespace {

using ::fovea::testing::random_floats;

TEST(QuantizeWeights, RoundsToTheNearestOf129Steps) {
  const std::vector<float> w = {1, -2, 0, 0.515625f, 2};
  std::vector<int8_t> q(5);
  EXPECT_EQ(quantize_weights(w.data(), 1, q), 2 / 64.0f);
  EXPECT_EQ(q, (std::vector<int8_t>{32, -64, 0, 16, 64}));  // 16.5 to even
  std::vector<int8_t> some(2);
  quantize_weights(w.data(), 4, some);
  EXPECT_EQ(some, (std::vector<int8_t>{32, 64})) << "every fourth";
}

TEST(QuantizeWeights, ZerosAndWhatIsNoNumberDoNoHarm) {
  std::vector<float> w(4, 0);
  std::vector<int8_t> q(4, 5);
  EXPECT_EQ(quantize_weights(w.data(), 1, q), 0);
  EXPECT_EQ(q, std::vector<int8_t>(4, 0));
  w = {std::nanf(""), 1, std::numeric_limits<float>::infinity(), -1};
  quantize_weights(w.data(), 1, q);
  for (const int8_t number : q) EXPECT_GE(number, -64);
}

TEST(QuantizeWeights, AMatrixIsTheSameFromRowsOfAFile) {
  for (const auto& [in, out] : {std::pair{1, 1}, {7, 33}, {64, 16}, {30, 40}}) {
    const std::vector<float> w = random_floats(in * out, 1);
    std::vector<int8_t> q(w.size());
    std::vector<float> scales;
    for (int i = 0; i < out; ++i) {
      scales.push_back(quantize_weights(w.data() + i * in, 1,
                                        std::span(q).subspan(i * in, in)));
    }
    const auto direct = QuantizedMatrix::from_out_in({w.data(), out, in});
    const auto stored = QuantizedMatrix::from_rows({q, scales});
    ASSERT_EQ(stored.in(), in);
    ASSERT_EQ(stored.out(), out);
    ASSERT_EQ(stored.bytes(), direct.bytes());
    EXPECT_TRUE(std::equal(direct.panel(0), direct.panel(0) + direct.bytes(),
                           stored.panel(0)));
    for (int i = 0; i < out; ++i) {
      EXPECT_EQ(stored.scales()[i], direct.scales()[i]);
      EXPECT_EQ(stored.offsets()[i], direct.offsets()[i]);
    }
  }
}

TEST(QuantizeWeights, AColumnComesBack) {
  const int in = 21, out = 35;
  const std::vector<float> w = random_floats(in * out, 2);
  const auto rough = QuantizedMatrix::from_out_in({w.data(), out, in});
  const auto exact = PackedMatrix::from_out_in({w.data(), out, in});
  std::vector<float> column(in);
  for (int j = 0; j < out; ++j) {
    exact.copy_column(j, column);
    EXPECT_TRUE(std::equal(column.begin(), column.end(), w.data() + j * in));
    rough.copy_column(j, column);
    for (int k = 0; k < in; ++k) {
      EXPECT_NEAR(column[k], w[j * in + k], 0.5001f * rough.scales()[j]);
    }
  }
}

}  // namespace
}  // namespace fovea::kernels
