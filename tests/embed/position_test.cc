#include "fovea/embed/position.h"

#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

TEST(PositionEmbedding, AddsNothingUnlessAsked) {
  const Var x(random_tensor({3, 4}, 1));
  const Segments of = Segments::from_lengths(std::vector<int>{3});
  EXPECT_EQ(PositionEmbedding()(x, of).value().data(), x.value().data());
}

TEST(PositionEmbedding, CountsFromTheBeginningOfEachSequence) {
  const Var zero(Tensor::zeros({5, 4}));
  const Segments of = Segments::from_lengths(std::vector<int>{2, 0, 3});
  for (PositionKind kind :
       {PositionKind::kLearned, PositionKind::kSinusoidal}) {
    PositionConfig config;
    config.kind = kind;
    const PositionEmbedding add(config, 4, RandomKey(3));
    const Tensor y = add(zero, of).value();
    EXPECT_TRUE(same_bits(y.row_range(0, 2).span(), y.row_range(2, 4).span()));
    EXPECT_FALSE(same_bits(y.row_range(0, 1).span(), y.row_range(1, 2).span()));
    // A decoder's step gives the position itself.
    const Var row(Tensor::zeros({1, 4}));
    const std::vector<int> first{2};
    const Tensor step =
        add(row, Segments::from_lengths(std::vector<int>{1}), first).value();
    EXPECT_TRUE(same_bits(step.span(), y.row_range(4, 5).span()));
  }
}

TEST(PositionEmbedding, ListsItsTableAsAParameter) {
  PositionConfig config;
  config.kind = PositionKind::kLearned;
  config.learned.longest = 7;
  PositionEmbedding add(config, 4, RandomKey(3));
  const Params params(add);
  ASSERT_EQ(params.parameters().size(), 1u);
  EXPECT_EQ(params.parameters()[0].name, "learned.table");
  EXPECT_EQ(params.count(), 28);
}

TEST(PositionEmbedding, RefusesRowsThatAreNotTheSequences) {
  PositionConfig config;
  const PositionEmbedding add(config, 4, RandomKey(3));
  EXPECT_THROW(add(Var(Tensor::zeros({5, 4})),
                   Segments::from_lengths(std::vector<int>{4})),
               Error);
}

}  // namespace
}  // namespace fovea
