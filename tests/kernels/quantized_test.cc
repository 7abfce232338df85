#include "fovea/kernels/quantized.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/base/parallel.h"
#include "support/compare.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/twin_gemm.h"
#include "support/twin_quantized.h"

namespace fovea::kernels {
namespace {

using ::fovea::testing::close;
using ::fovea::testing::Doubles;
using ::fovea::testing::effort;
using ::fovea::testing::on_every_target;
using ::fovea::testing::random_floats;
using ::fovea::testing::same_bits;
using ::fovea::testing::twin_activation;
using ::fovea::testing::twin_quantized_gemm;
using ::fovea::testing::with_threads;

using Floats = std::vector<float>;

Floats product(const Floats& a, int rows, const QuantizedMatrix& b,
               const PackedGemmOptions& options = {}) {
  Floats c(rows * b.out(), 7.0f);
  quantized_gemm({a.data(), rows, b.in()}, b, {c.data(), rows, b.out()},
                 options);
  return c;
}

struct Size {
  int rows, in, out;
};
const Size kSizes[] = {
    {1, 1, 1},   {1, 7, 64},   {1, 33, 65},   {2, 9, 33},     {3, 40, 47},
    {4, 8, 16},  {5, 16, 17},  {6, 31, 31},   {7, 100, 15},   {13, 513, 48},
    {97, 70, 9}, {193, 3, 40}, {1, 256, 130}, {66, 2049, 20},
};

TEST(QuantizedGemm, EqualsTheReferenceBitForBit) {
  on_every_target([] {
    for (const auto& [rows, in, out] : kSizes) {
      const Floats x = random_floats(rows * in, 1);
      const Floats w = random_floats(out * in, 2);
      const Floats bias = random_floats(out, 3);
      const QuantizedMatrix b =
          QuantizedMatrix::from_out_in({w.data(), out, in});
      const Floats expected =
          twin_quantized_gemm({x.data(), rows, in}, {w.data(), out, in}, bias);
      EXPECT_TRUE(same_bits(product(x, rows, b, {.bias = bias}), expected))
          << rows << " " << in << " " << out;
    }
  });
}

// Every product is as large as it can be, so a sum in 16 bits would saturate
// if anything could.
TEST(QuantizedGemm, IsExactForTheLargestNumbers) {
  on_every_target([] {
    constexpr int rows = 3, in = 4096, out = 18;
    for (const float sign : {1.0f, -1.0f}) {
      const Floats x(rows * in, 63.0f);
      const Floats w(out * in, sign * 64.0f);
      const QuantizedMatrix b =
          QuantizedMatrix::from_out_in({w.data(), out, in});
      for (const float y : product(x, rows, b)) {
        EXPECT_EQ(y, sign * 63.0f * 64.0f * in);
      }
    }
  });
}

TEST(QuantizedGemm, IsExactForSignsThatAlternate) {
  on_every_target([] {
    constexpr int in = 1031, out = 16;
    Floats x(in), w(out * in);
    for (int k = 0; k < in; ++k) x[k] = k % 2 == 0 ? 1.0f : -1.0f;
    for (int i = 0; i < out * in; ++i) w[i] = i % 3 == 0 ? 1.0f : -1.0f;
    const QuantizedMatrix b = QuantizedMatrix::from_out_in({w.data(), out, in});
    EXPECT_TRUE(same_bits(
        product(x, 1, b),
        twin_quantized_gemm({x.data(), 1, in}, {w.data(), out, in}, {})));
  });
}

TEST(QuantizedGemm, StaysNearTheProductInFloats) {
  constexpr int rows = 40, in = 512, out = 96;
  const Floats x = random_floats(rows * in, 1), w = random_floats(out * in, 2);
  const Floats y =
      product(x, rows, QuantizedMatrix::from_out_in({w.data(), out, in}));
  Floats exact(y.size());
  packed_gemm({x.data(), rows, in},
              PackedMatrix::from_out_in({w.data(), out, in}),
              {exact.data(), rows, out});
  double error = 0, size = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    error += std::pow(y[i] - exact[i], 2);
    size += std::pow(exact[i], 2);
  }
  EXPECT_LT(std::sqrt(error / size), 0.03);
}

TEST(QuantizedGemm, PacksBothLayoutsAlike) {
  constexpr int rows = 5, in = 37, out = 50;
  const Floats w = random_floats(out * in, 2);
  Floats t(w.size());
  for (int o = 0; o < out; ++o) {
    for (int i = 0; i < in; ++i) t[i * out + o] = w[o * in + i];
  }
  const Floats x = random_floats(rows * in, 3);
  EXPECT_TRUE(same_bits(
      product(x, rows, QuantizedMatrix::from_in_out({t.data(), in, out})),
      product(x, rows, QuantizedMatrix::from_out_in({w.data(), out, in}))));
}

TEST(QuantizedGemm, FusesActivationAndWhatWasThere) {
  on_every_target([] {
    constexpr int in = 21, out = 83;
    for (const int rows : {1, 9}) {
      for (const Activation activation :
           {Activation::kNone, Activation::kRelu, Activation::kGelu,
            Activation::kTanh, Activation::kSigmoid}) {
        const Floats x = random_floats(rows * in, 1);
        const Floats w = random_floats(out * in, 2);
        const Floats bias = random_floats(out, 3);
        Floats y = random_floats(rows * out, 4);
        const Floats plain = twin_quantized_gemm({x.data(), rows, in},
                                                 {w.data(), out, in}, bias);
        Doubles expected;
        for (size_t i = 0; i < y.size(); ++i) {
          expected.push_back(
              twin_activation(activation, double{y[i]} + plain[i]));
        }
        quantized_gemm(
            {x.data(), rows, in},
            QuantizedMatrix::from_out_in({w.data(), out, in}),
            {y.data(), rows, out},
            {.bias = bias, .activation = activation, .accumulate = true});
        EXPECT_TRUE(close(y, expected, 1e-6)) << static_cast<int>(activation);
      }
    }
  });
}

RC_GTEST_PROP(QuantizedGemm, GivesARowTheSameBitsInAnyBatch, ()) {
  const int rows = *rc::gen::inRange(1, effort(400, 100));
  const int in = *rc::gen::inRange(1, 300);
  const int out = *rc::gen::inRange(1, 150);
  const int i = *rc::gen::inRange(0, rows);
  const int threads = *rc::gen::element(1, 2, 4);
  const uint64_t seed = *rc::gen::arbitrary<uint64_t>();
  const Floats x = random_floats(rows * in, seed);
  const Floats w = random_floats(out * in, seed + 1);
  const QuantizedMatrix b = QuantizedMatrix::from_out_in({w.data(), out, in});
  const Floats row(&x[i * in], &x[i * in] + in);
  const PackedGemmOptions options{.activation = Activation::kTanh};
  const Floats alone = product(row, 1, b, options);
  ThreadLimit limit(threads);
  const Floats all = product(x, rows, b, options);
  RC_ASSERT(
      same_bits(std::span<const float>(all).subspan(i * out, out), alone));
}

TEST(QuantizedGemm, ReadsAndWritesStridedViewsAndNothingElse) {
  constexpr int rows = 70, in = 21, out = 35, gap = 3;
  const Floats x = random_floats(rows * (in + gap), 1);
  const Floats w = random_floats(out * in, 2);
  Floats c(rows * (out + gap), 7.0f);
  quantized_gemm({x.data(), rows, in, in + gap},
                 QuantizedMatrix::from_out_in({w.data(), out, in}),
                 {c.data(), rows, out, out + gap});
  const Floats expected = twin_quantized_gemm({x.data(), rows, in, in + gap},
                                              {w.data(), out, in}, {});
  for (int i = 0; i < rows; ++i) {
    const std::span<const float> row(&c[i * (out + gap)], out + gap);
    EXPECT_TRUE(
        same_bits(row.first(out), std::span(expected).subspan(i * out, out)));
    for (int j = out; j < out + gap; ++j) EXPECT_EQ(row[j], 7.0f);
  }
}

TEST(QuantizedGemm, HandlesZerosAndEmptySizes) {
  const Floats w = random_floats(6 * 5, 1);
  const QuantizedMatrix b = QuantizedMatrix::from_out_in({w.data(), 6, 5});
  EXPECT_EQ(product(Floats(10, 0.0f), 2, b), Floats(12, 0.0f));
  EXPECT_TRUE(product({}, 0, b).empty());
  const Floats zeros(30);
  EXPECT_EQ(product(random_floats(10, 2), 2,
                    QuantizedMatrix::from_out_in({zeros.data(), 6, 5})),
            Floats(12, 0.0f));
  const Floats bias = {1, 2, 3};
  EXPECT_EQ(product({}, 1, QuantizedMatrix::from_out_in({nullptr, 3, 0}),
                    {.bias = bias}),
            bias);
}

TEST(QuantizedGemm, GivesNothingFiniteForARowThatIsNot) {
  on_every_target([] {
    constexpr int in = 40, out = 20;
    const Floats w = random_floats(out * in, 1);
    const QuantizedMatrix b = QuantizedMatrix::from_out_in({w.data(), out, in});
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
      for (const int where : {0, 33, 39}) {
        Floats x = random_floats(2 * in, 2);
        const Floats fine = product(x, 2, b);
        x[where] = bad;
        const Floats y = product(x, 2, b);
        for (int j = 0; j < out; ++j) EXPECT_FALSE(std::isfinite(y[j]));
        EXPECT_TRUE(
            same_bits(std::span(y).subspan(out), std::span(fine).subspan(out)));
      }
    }
  });
}

}  // namespace
}  // namespace fovea::kernels
