#include "fovea/embed/token.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/check.h"

namespace fovea {
namespace {

EmbedConfig plain(int width) {
  EmbedConfig c;
  c.width = width;
  c.dropout = 0;
  c.position.kind = PositionKind::kNone;
  return c;
}

TEST(TokenEmbedding, ScalesTheRowsOfItsTable) {
  const TokenEmbedding embed(plain(4), 5, RandomKey(1));
  const int ids[] = {3, 0, 3};
  const int length = 3;
  const Tensor x =
      embed(ids, Segments::from_lengths({&length, 1}), Pass{}).value();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      EXPECT_FLOAT_EQ(x[4 * i + j], 2 * embed.table().value()[4 * ids[i] + j]);
    }
  }
}

TEST(TokenEmbedding, BeginsWithRowsOfAboutUnitLength) {
  const TokenEmbedding embed(plain(256), 100, RandomKey(1));
  double squares = 0;
  for (float v : embed.table().value().span()) squares += v * v;
  EXPECT_NEAR(squares / 100, 1, 0.05);
}

TEST(TokenEmbedding, StepsAddTheSamePlacesAsWholeSentences) {
  EmbedConfig config = plain(6);
  config.position.kind = PositionKind::kSinusoidal;
  const TokenEmbedding embed(config, 9, RandomKey(1));
  const int ids[] = {1, 2, 3}, length = 3, one = 1, place = 2;
  const Tensor all =
      embed(ids, Segments::from_lengths({&length, 1}), Pass{}).value();
  const Tensor last = embed({&ids[2], 1}, Segments::from_lengths({&one, 1}),
                            Pass{}, {&place, 1})
                          .value();
  for (int j = 0; j < 6; ++j) EXPECT_EQ(last[j], all[12 + j]);
}

TEST(TokenEmbedding, ATiedOneListsNoTableOfItsOwn) {
  TokenEmbedding first(plain(4), 5, RandomKey(1));
  TokenEmbedding second =
      TokenEmbedding::tied(plain(4), first.table(), RandomKey(2));
  EXPECT_EQ(Params(first).count(), 20);
  EXPECT_EQ(Params(second).count(), 0);
  EXPECT_EQ(second.table().value().data(), first.table().value().data());
}

TEST(TokenEmbedding, RefusesAWidthOfNone) {
  EXPECT_THROW(TokenEmbedding(plain(0), 5, RandomKey(1)), Error);
}

TEST(TokenEmbedding, PreparedGivesTheSameRowsAndInInt8NearOnes) {
  TokenEmbedding embed(plain(21), 40, RandomKey(1));
  const Params params(embed);
  const int ids[] = {39, 0, 17, 17}, length = 4;
  const Segments of = Segments::from_lengths({&length, 1});
  const NoGrad none;
  const Tensor before = embed(ids, of, Pass{}).value();
  params.prepare(Precision::kFloat32);
  const Tensor after = embed(ids, of, Pass{}).value();
  params.prepare(Precision::kInt8);
  const Tensor rough = embed(ids, of, Pass{}).value();
  double furthest = 0;
  for (int64_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i], after[i]);
    furthest = std::max(furthest, std::fabs(double{before[i]} - rough[i]));
  }
  EXPECT_GT(furthest, 0);
  EXPECT_LT(furthest, 0.02);
  const int beyond = 40, one = 1;
  EXPECT_THROW(embed({&beyond, 1}, Segments::from_lengths({&one, 1}), Pass{}),
               Error);
}

}  // namespace
}  // namespace fovea
