#include "fovea/attend/mask_residual.h"

#include <cmath>

#include "fovea/attend/impose.h"
#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "support/check_op.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using testing::close;
using testing::Doubles;
using testing::random_tensor;
using testing::same_bits;

constexpr int kImages = 2, kHeight = 2, kWidth = 3, kChannels = 3;
constexpr int kPositions = kHeight * kWidth;

Tensor image(uint64_t seed) {
  return random_tensor({kImages, kHeight, kWidth, kChannels}, seed);
}

double sigma(double x) { return 1 / (1 + std::exp(-x)); }

Doubles twin_channel(const Doubles& x) {
  Doubles y = x;
  for (size_t i = 0; i < x.size(); i += kChannels) {
    double square = 0;
    for (int c = 0; c < kChannels; ++c) square += x[i + c] * x[i + c];
    for (int c = 0; c < kChannels; ++c) y[i + c] /= std::sqrt(square);
  }
  return y;
}

Doubles twin_spatial(const Doubles& x) {
  Doubles y = x;
  for (int b = 0; b < kImages; ++b) {
    for (int c = 0; c < kChannels; ++c) {
      const auto at = [&](int i) {
        return (b * kPositions + i) * kChannels + c;
      };
      double mean = 0, square = 0;
      for (int i = 0; i < kPositions; ++i) mean += x[at(i)] / kPositions;
      for (int i = 0; i < kPositions; ++i) {
        square += (x[at(i)] - mean) * (x[at(i)] - mean) / kPositions;
      }
      for (int i = 0; i < kPositions; ++i) {
        y[at(i)] = sigma((x[at(i)] - mean) / std::sqrt(square + 1e-5));
      }
    }
  }
  return y;
}

Doubles twin_mask(const Doubles& x, MaskNormaliser normaliser) {
  if (normaliser == MaskNormaliser::kChannel) return twin_channel(x);
  if (normaliser == MaskNormaliser::kSpatial) return twin_spatial(x);
  Doubles y;
  for (double v : x) y.push_back(sigma(v));
  return y;
}

TEST(ResidualAttention, MatchesTheTwinForEveryNormaliserWithItsGradients) {
  for (const auto& [normaliser, name] : kMaskNormalisers) {
    for (bool residual : {true, false}) {
      SCOPED_TRACE(name);
      const ResidualMaskConfig config{normaliser, residual};
      testing::check_op(
          [&](const auto& in) {
            return residual_attention(in[0], in[1], config, {}).features;
          },
          [&, n = normaliser](const std::vector<Doubles>& in) {
            const Doubles mask = twin_mask(in[1], n);
            Doubles y = in[0];
            for (size_t i = 0; i < y.size(); ++i) {
              y[i] *= mask[i] + (residual ? 1 : 0);
            }
            return y;
          },
          {image(1), image(2)});
    }
  }
}

// What all masks are set to, for the layer "mask".
struct Fixed {
  Impose impose;
  Pass outer;
  explicit Fixed(float value) {
    impose.weights("mask", [value](const Var& w, const Pairs&) -> Var {
      return Tensor::full(w.shape(), value);
    });
    outer.impose = &impose;
  }
};

// SPEC B11.
TEST(ResidualAttention, IsTheTrunkUnderAMaskOfZeroAndTwiceItUnderOne) {
  const Tensor trunk = image(1);
  const Fixed zero(0), one(1);
  EXPECT_TRUE(
      same_bits(residual_attention(trunk, image(2), {}, zero.outer.in("mask"))
                    .features.value()
                    .span(),
                trunk.span()));
  const Tensor twice =
      residual_attention(trunk, image(2), {}, one.outer.in("mask"))
          .features.value();
  for (int64_t i = 0; i < trunk.size(); ++i) {
    EXPECT_EQ(twice[i], 2 * trunk[i]);
  }
}

TEST(ResidualAttention, ScalesTheTrunksGradientByTheMask) {
  const Var trunk = Var::parameter(image(1));
  const Masked out =
      residual_attention(trunk, image(2), {.residual = false}, {});
  out.features.backward(Tensor::full(trunk.shape(), 1));
  EXPECT_TRUE(same_bits(trunk.grad().span(), out.mask.value().span()));
}

TEST(ResidualAttention, KeepsZeroAndConstantBranchesFinite) {
  const Tensor zero = Tensor::zeros({1, 2, 2, 2});
  const Var x = Var::parameter(zero);
  for (const auto& [normaliser, name] : kMaskNormalisers) {
    const Var mask = normalised_mask(x, normaliser);
    const float expected = normaliser == MaskNormaliser::kChannel ? 0.0f : 0.5f;
    for (float v : mask.value().span()) EXPECT_EQ(v, expected) << name;
    mask.backward(Tensor::full(zero.shape(), 1));
    for (float v : x.grad().span()) EXPECT_TRUE(std::isfinite(v)) << name;
    x.clear_grad();
  }
  EXPECT_EQ(normalised_mask(Tensor({0, 2, 2, 3}), MaskNormaliser::kSpatial)
                .value()
                .size(),
            0);
}

TEST(ResidualAttention, RecordsAMapOfPositionsForEachChannel) {
  Trace trace({{.layer = "mask", .heads = {2}}});
  Pass pass;
  pass.trace = &trace;
  const Masked out = residual_attention(
      image(1), image(2), {MaskNormaliser::kSpatial}, pass.in("mask"));
  const Record& record = *trace.of("mask").at(0);
  EXPECT_EQ(record.about().kind, "mask");
  EXPECT_EQ(record.about().score, "spatial");
  ASSERT_EQ(record.sequences(), kImages);
  EXPECT_EQ(record.queries(1), 1);
  ASSERT_EQ(record.keys(1), kPositions);
  const Tensor map = record.weights(1, 2);
  for (int i = 0; i < kPositions; ++i) {
    EXPECT_EQ(map[i], out.mask.value()[(kPositions + i) * kChannels + 2]);
  }
}

TEST(ResidualAttention, ImposedMasksComeBackInTheOrderOfTheImage) {
  Impose impose;
  impose.weights("mask", [](const Var& w, const Pairs&) { return w; });
  Pass pass;
  pass.impose = &impose;
  const Masked own = residual_attention(image(1), image(2), {}, {});
  const Masked same =
      residual_attention(image(1), image(2), {}, pass.in("mask"));
  EXPECT_TRUE(same_bits(own.mask.value().span(), same.mask.value().span()));
  impose.head_mask("mask", {1, 0, 1});
  const Tensor y = residual_attention(image(1), image(2), {}, pass.in("mask"))
                       .features.value();
  EXPECT_EQ(y[1], 0.0f);
  EXPECT_NE(y[2], 0.0f);
}

TEST(ResidualAttention, AnImageAgreesAloneAndInABatch) {
  const Tensor trunk = image(1), branch = image(2);
  for (const auto& [normaliser, name] : kMaskNormalisers) {
    const ResidualMaskConfig config{normaliser};
    const Tensor all =
        residual_attention(trunk, branch, config, {}).features.value();
    const Tensor alone =
        residual_attention(trunk.row_range(1, 2).clone(),
                           branch.row_range(1, 2).clone(), config, {})
            .features.value();
    EXPECT_TRUE(close(std::span<const float>(all.row_range(1, 2).span()),
                      std::span<const float>(alone.span()), 1e-6))
        << name;
  }
}

TEST(ResidualAttention, RefusesWhatDoesNotFit) {
  EXPECT_THROW(
      residual_attention(image(1), random_tensor({2, 2, 2, 3}, 1), {}, {}),
      Error);
  EXPECT_THROW(normalised_mask(random_tensor({2, 3}, 1), {}), Error);
}

}  // namespace
}  // namespace fovea
