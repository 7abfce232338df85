#include <gtest/gtest.h>

#include "support/compare.h"
#include "support/decoder_case.h"

namespace fovea {
namespace {

using namespace fovea::testing;

DecoderCase transformer(float encoder_scale, float decoder_scale) {
  DecoderCase c;
  c.encoder = {.layers = 2,
               .width = 8,
               .dropout = 0.0f,
               .heads = 2,
               .ffn = 12,
               .scale = encoder_scale};
  c.decoder = {.layers = 2,
               .width = 8,
               .dropout = 0.0f,
               .heads = 2,
               .ffn = 12,
               .scale = decoder_scale};
  c.attend = {.heads = 2};
  c.words = 8;
  return c;
}

Tensor hidden(float encoder_scale, float decoder_scale) {
  const DecoderCase c = transformer(encoder_scale, decoder_scale);
  return TinyModel(c).forced(c).hidden.value();
}

TEST(Transformer, DividesSelfAttentionByTheRootOfAHeadUnlessToldOtherwise) {
  const Tensor usual = hidden(0.0f, 0.0f);
  EXPECT_TRUE(same_bits(usual.span(), hidden(0.5f, 0.5f).span()));
  EXPECT_FALSE(close(usual.span(), hidden(1.0f, 0.0f).span(), 1e-3));
  EXPECT_FALSE(close(usual.span(), hidden(0.0f, 1.0f).span(), 1e-3));
}

}  // namespace
}  // namespace fovea
