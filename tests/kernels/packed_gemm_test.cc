#include "fovea/kernels/packed_gemm.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/target.h"
#include "support/compare.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/twin_gemm.h"

namespace fovea::kernels {
namespace {

using ::fovea::testing::close;
using ::fovea::testing::Doubles;
using ::fovea::testing::effort;
using ::fovea::testing::on_every_target;
using ::fovea::testing::random_doubles;
using ::fovea::testing::random_floats;
using ::fovea::testing::same_bits;
using ::fovea::testing::to_double;
using ::fovea::testing::to_float;
using ::fovea::testing::TwinGemm;
using ::fovea::testing::with_threads;

constexpr Activation kActivations[] = {Activation::kNone, Activation::kRelu,
                                       Activation::kGelu, Activation::kTanh,
                                       Activation::kSigmoid};

using Floats = std::vector<float>;

Floats product(const Floats& a, int rows, const PackedMatrix& b,
               const PackedGemmOptions& options = {}) {
  Floats c(rows * b.out(), 7.0f);
  packed_gemm({a.data(), rows, b.in()}, b, {c.data(), rows, b.out()}, options);
  return c;
}

struct Size {
  int rows, in, out;
};
const Size kSizes[] = {{1, 1, 1},    {1, 7, 64},    {1, 33, 65},  {2, 9, 33},
                       {3, 40, 47},  {4, 8, 16},    {5, 16, 17},  {6, 31, 31},
                       {7, 100, 15}, {13, 513, 48}, {97, 70, 20}, {193, 3, 9}};

TEST(PackedGemm, EqualsTheTwinOnOddSizes) {
  on_every_target([] {
    for (const auto& [rows, in, out] : kSizes) {
      const Doubles x = random_doubles(rows * in, 1);
      const Doubles w = random_doubles(out * in, 2);
      const Floats wf = to_float(w);
      const Floats y = product(to_float(x), rows,
                               PackedMatrix::from_out_in({wf.data(), out, in}));
      const TwinGemm g{
          .rows = rows, .cols = out, .depth = in, .transpose_b = true};
      EXPECT_TRUE(close(y, twin_gemm(g, x, w), 2e-6))
          << rows << " " << in << " " << out;
    }
  });
}

TEST(PackedGemm, PacksBothLayoutsAlike) {
  for (const auto& [rows, in, out] : kSizes) {
    const Floats w = random_floats(out * in, 2);  // [out,in]
    Floats t(w.size());                           // [in,out]
    for (int o = 0; o < out; ++o) {
      for (int i = 0; i < in; ++i) t[i * out + o] = w[o * in + i];
    }
    const Floats x = random_floats(rows * in, 3);
    EXPECT_TRUE(same_bits(
        product(x, rows, PackedMatrix::from_in_out({t.data(), in, out})),
        product(x, rows, PackedMatrix::from_out_in({w.data(), out, in}))));
  }
}

TEST(PackedGemm, FusesBiasActivationAndWhatWasThere) {
  on_every_target([] {
    for (const auto& [rows, in, out] : kSizes) {
      for (const Activation activation : kActivations) {
        for (const bool accumulate : {false, true}) {
          const Doubles x = random_doubles(rows * in, 1);
          Doubles w = random_doubles(out * in, 2);
          for (double& v : w) v /= std::sqrt(in);
          const Doubles bias = random_doubles(out, 3);
          const Doubles before = random_doubles(rows * out, 4);
          const Floats xf = to_float(x), wf = to_float(w), bf = to_float(bias);
          Floats y = to_float(before);
          packed_gemm(
              {xf.data(), rows, in},
              PackedMatrix::from_out_in({wf.data(), out, in}),
              {y.data(), rows, out},
              {.bias = bf, .activation = activation, .accumulate = accumulate});
          const TwinGemm g{.rows = rows,
                           .cols = out,
                           .depth = in,
                           .transpose_b = true,
                           .activation = activation};
          EXPECT_TRUE(close(
              y, twin_gemm(g, x, w, bias, accumulate ? before : Doubles{}),
              5e-6))
              << rows << " " << in << " " << out << " "
              << static_cast<int>(activation);
        }
      }
    }
  });
}

TEST(PackedGemm, ReadsAndWritesStridedViewsAndNothingElse) {
  constexpr int rows = 9, in = 21, out = 35, gap = 5;
  const Floats x = random_floats(rows * (in + gap), 1);
  const Floats w = random_floats(out * (in + gap), 2);
  Floats c(rows * (out + gap), 7.0f);
  packed_gemm({x.data(), rows, in, in + gap},
              PackedMatrix::from_out_in({w.data(), out, in, in + gap}),
              {c.data(), rows, out, out + gap});
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < out; ++j) {
      double sum = 0;
      for (int k = 0; k < in; ++k) {
        sum += double{x[i * (in + gap) + k]} * w[j * (in + gap) + k];
      }
      EXPECT_NEAR(c[i * (out + gap) + j], sum, 1e-4);
    }
    for (int j = out; j < out + gap; ++j) {
      EXPECT_EQ(c[i * (out + gap) + j], 7.0f);
    }
  }
}

TEST(PackedGemm, IsOneChainOfAdditionsInTheOrderOfTheColumns) {
  if (!kernels::supported_targets().front().starts_with("AVX2")) GTEST_SKIP();
  constexpr int rows = 5, in = 1500, out = 18;
  const Floats x = random_floats(rows * in, 1), w = random_floats(out * in, 2);
  Floats expected(rows * out);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < out; ++j) {
      float sum = 0;
      for (int k = 0; k < in; ++k) {
        sum = std::fma(x[i * in + k], w[j * in + k], sum);
      }
      expected[i * out + j] = sum;
    }
  }
  EXPECT_TRUE(same_bits(
      product(x, rows, PackedMatrix::from_out_in({w.data(), out, in})),
      expected));
}

// The law of inference: neither the other rows nor the threads change a bit.
TEST(PackedGemm, GivesARowTheSameBitsAmongAnyNumberOfRows) {
  const int most = effort(600, 60);
  on_every_target([&] {
    for (const auto& [in, out] : {std::pair{40, 71}, std::pair{1100, 33}}) {
      const Floats w = random_floats(out * in, 2), bias = random_floats(out, 3);
      const Floats x = random_floats(most * in, 1);
      const PackedMatrix b = PackedMatrix::from_out_in({w.data(), out, in});
      const PackedGemmOptions options{.bias = bias,
                                      .activation = Activation::kGelu};
      Floats alone;
      for (int i = 0; i < most; ++i) {
        const Floats row(&x[i * in], &x[i * in] + in);
        const Floats y = product(row, 1, b, options);
        alone.insert(alone.end(), y.begin(), y.end());
      }
      with_threads({1, 2, 4}, [&](int) {
        for (int rows = 1; rows <= most; rows += rows < 30 ? 1 : 19) {
          const Floats y = product(x, rows, b, options);
          ASSERT_TRUE(
              same_bits(y, std::span<const float>(alone).first(y.size())))
              << rows << " rows";
        }
      });
    }
  });
}

RC_GTEST_PROP(PackedGemm, GivesARowTheSameBitsInAnyBatch, ()) {
  const int rows = *rc::gen::inRange(1, 200);
  const int in = *rc::gen::inRange(1, 700);
  const int out = *rc::gen::inRange(1, 150);
  const int i = *rc::gen::inRange(0, rows);
  const int threads = *rc::gen::element(1, 2, 4);
  const auto activation = *rc::gen::elementOf(std::vector<Activation>(
      std::begin(kActivations), std::end(kActivations)));
  const uint64_t seed = *rc::gen::arbitrary<uint64_t>();
  const Floats x = random_floats(rows * in, seed);
  const Floats w = random_floats(out * in, seed + 1);
  const PackedMatrix b = PackedMatrix::from_out_in({w.data(), out, in});
  const Floats row(&x[i * in], &x[i * in] + in);
  const Floats alone = product(row, 1, b, {.activation = activation});
  ThreadLimit limit(threads);
  const Floats all = product(x, rows, b, {.activation = activation});
  RC_ASSERT(
      same_bits(std::span<const float>(all).subspan(i * out, out), alone));
}

TEST(PackedGemm, HandlesEmptySizes) {
  const PackedMatrix no_in = PackedMatrix::from_out_in({nullptr, 5, 0});
  const Floats bias = random_floats(5, 1);
  EXPECT_TRUE(same_bits(product({}, 1, no_in, {.bias = bias}), bias));
  EXPECT_TRUE(same_bits(product({}, 2, no_in), Floats(10, 0.0f)));
  Floats kept(5, 3.0f);
  packed_gemm({nullptr, 1, 0}, no_in, {kept.data(), 1, 5},
              {.accumulate = true});
  EXPECT_EQ(kept, Floats(5, 3.0f));

  const Floats w = random_floats(20, 1);
  const PackedMatrix b = PackedMatrix::from_out_in({w.data(), 5, 4});
  EXPECT_TRUE(product({}, 0, b).empty());
  const PackedMatrix no_out = PackedMatrix::from_out_in({nullptr, 0, 4});
  EXPECT_TRUE(product(Floats(8), 2, no_out).empty());
}

TEST(PackedGemm, PassesNanAndInfinityOn) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const Floats w = {1.0f};
  const PackedMatrix b = PackedMatrix::from_out_in({w.data(), 1, 1});
  for (const Activation activation : kActivations) {
    EXPECT_TRUE(
        std::isnan(product({nan}, 1, b, {.activation = activation})[0]));
  }
  EXPECT_EQ(product({inf}, 1, b, {.activation = Activation::kRelu})[0], inf);
  EXPECT_EQ(product({inf}, 1, b, {.activation = Activation::kTanh})[0], 1);
  EXPECT_EQ(product({inf}, 1, b, {.activation = Activation::kSigmoid})[0], 1);
}

}  // namespace
}  // namespace fovea::kernels
