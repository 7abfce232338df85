#include "fovea/tensor/shape.h"

#include <gtest/gtest.h>

#include <sstream>

#include "fovea/base/check.h"

namespace fovea {
namespace {

TEST(Shape, CountsItsElements) {
  EXPECT_EQ(Shape().size(), 1);
  EXPECT_EQ(Shape().rank(), 0);
  EXPECT_EQ(Shape({3}).size(), 3);
  EXPECT_EQ(Shape({2, 3, 4, 5}).size(), 120);
  EXPECT_EQ(Shape({2, 0, 4}).size(), 0);
}

TEST(Shape, CountsNegativeAxesFromTheEnd) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[-1], 4);
  EXPECT_EQ(shape[-3], 2);
  EXPECT_THROW(shape[3], Error);
  EXPECT_THROW(shape[-4], Error);
  EXPECT_THROW(Shape()[0], Error);
}

TEST(Shape, ComparesRankAndSizes) {
  EXPECT_EQ(Shape({2, 3}), Shape({2, 3}));
  EXPECT_NE(Shape({2, 3}), Shape({3, 2}));
  EXPECT_NE(Shape({2}), Shape({2, 1}));
  EXPECT_NE(Shape(), Shape({0}));
}

TEST(Shape, PrintsItself) {
  std::ostringstream out;
  out << Shape({2, 3}) << Shape();
  EXPECT_EQ(out.str(), "[2, 3][]");
}

TEST(Shape, RefusesWhatCannotBe) {
  EXPECT_THROW(Shape({1, 2, 3, 4, 5}), Error);
  EXPECT_THROW(Shape({-1}), Error);
  EXPECT_THROW(Shape({int64_t{1} << 40, int64_t{1} << 40}), Error);
}

}  // namespace
}  // namespace fovea
