#include "fovea/tensor/segments.h"

#include <gtest/gtest.h>

#include <limits>

#include "fovea/base/check.h"

namespace fovea {
namespace {

TEST(Segments, KnowsWhereEachSequenceLies) {
  const Segments of = Segments::from_lengths(std::vector{3, 0, 4});
  EXPECT_EQ(of.count(), 3);
  EXPECT_EQ(of.total(), 7);
  EXPECT_EQ(of.longest(), 4);
  EXPECT_EQ(of.begin(2), 3);
  EXPECT_EQ(of.end(2), 7);
  EXPECT_EQ(of.length(1), 0);
  EXPECT_EQ(of, Segments::from_offsets({0, 3, 3, 7}));
  EXPECT_EQ(of.offsets().size(), 4u);
}

TEST(Segments, MayBeEmpty) {
  const Segments none;
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(none.total(), 0);
  EXPECT_EQ(none.longest(), 0);
  EXPECT_EQ(none, Segments::from_lengths({}));
  EXPECT_NE(none, Segments::from_lengths(std::vector{0}));
}

TEST(Segments, SharesItsOffsetsWithCopies) {
  const Segments of = Segments::from_lengths(std::vector{3, 4});
  const Segments copy = of;
  EXPECT_EQ(copy.offsets().data(), of.offsets().data());
}

TEST(Segments, RefusesWhatCannotBe) {
  EXPECT_THROW(Segments::from_lengths(std::vector{3, -1}), Error);
  EXPECT_THROW(
      Segments::from_lengths(std::vector{std::numeric_limits<int>::max(), 1}),
      Error);
  EXPECT_THROW(Segments::from_offsets({}), Error);
  EXPECT_THROW(Segments::from_offsets({1, 2}), Error);
  EXPECT_THROW(Segments::from_offsets({0, 3, 2}), Error);
}

}  // namespace
}  // namespace fovea
