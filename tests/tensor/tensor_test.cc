#include "fovea/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/tensor/allocator.h"

namespace fovea {
namespace {

TEST(Tensor, HoldsWhatItIsGiven) {
  const Tensor t = Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(t.size(), 6);
  EXPECT_EQ(t.rows(), 2);
  EXPECT_EQ(t.cols(), 3);
  EXPECT_EQ(t[4], 5);
  EXPECT_EQ(Tensor::full({2}, 7)[1], 7);
  EXPECT_EQ(Tensor::zeros({2})[1], 0);
  EXPECT_EQ(Tensor::of({}, {3}).item(), 3);
  EXPECT_EQ(Tensor::from({2}, std::vector<float>{8, 9})[1], 9);
}

TEST(Tensor, BeginsOnACacheLine) {
  for (int64_t size : {0, 1, 17, 1000}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(Tensor({size}).data()) % 64, 0u);
  }
}

TEST(Tensor, CountsRowsOfTheLastAxis) {
  EXPECT_EQ(Tensor({2, 3, 4}).rows(), 6);
  EXPECT_EQ(Tensor({5}).rows(), 1);
  EXPECT_EQ(Tensor(Shape()).rows(), 1);
  EXPECT_EQ(Tensor(Shape()).cols(), 1);
  EXPECT_EQ(Tensor({0, 4}).rows(), 0);
  EXPECT_EQ(Tensor({4, 0}).rows(), 0);
}

TEST(Tensor, SharesMemoryWithCopiesAndViewsButNotWithClones) {
  const Tensor t = Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor copy = t, flat = t.reshaped({6}), rows = t.row_range(1, 3),
               clone = t.clone();
  t[2] = 30;
  EXPECT_EQ(copy[2], 30);
  EXPECT_EQ(flat[2], 30);
  EXPECT_EQ(rows[0], 30);
  EXPECT_EQ(rows.shape(), Shape({2, 2}));
  EXPECT_EQ(clone[2], 3);
  EXPECT_TRUE(t.is_shared());
  EXPECT_FALSE(clone.is_shared());
}

TEST(Tensor, CutsRowsOfEveryRank) {
  EXPECT_EQ(Tensor({5}).row_range(1, 3).shape(), Shape({2}));
  EXPECT_EQ(Tensor({5, 2}).row_range(5, 5).shape(), Shape({0, 2}));
  EXPECT_EQ(Tensor({5, 2, 3}).row_range(0, 1).shape(), Shape({1, 2, 3}));
  const Tensor t({5, 2, 3, 4});
  EXPECT_EQ(t.row_range(2, 5).shape(), Shape({3, 2, 3, 4}));
  EXPECT_EQ(t.row_range(2, 5).data(), t.data() + 48);
}

TEST(Tensor, KeepsMemoryAsLongAsAViewLives) {
  const size_t before = Allocator::shared().stats().live;
  Tensor view;
  {
    const Tensor t = Tensor::full({100, 10}, 4);
    view = t.row_range(50, 60);
  }
  EXPECT_EQ(Allocator::shared().stats().live, before + 4096);
  EXPECT_EQ(view[99], 4);
  view = Tensor();
  EXPECT_EQ(Allocator::shared().stats().live, before);
}

TEST(Tensor, IsEmptyByDefault) {
  const Tensor none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.size(), 0);
  EXPECT_TRUE(none.span().empty());
  EXPECT_FALSE(none.clone());
  EXPECT_TRUE(Tensor({0}));
}

TEST(Tensor, WithoutMemoryHasAShapeOnly) {
  const size_t before = Allocator::shared().stats().live;
  const Tensor t = Tensor::without_memory({1 << 20, 1 << 20});
  EXPECT_FALSE(t);
  EXPECT_EQ(t.shape(), Shape({1 << 20, 1 << 20}));
  EXPECT_EQ(t.size(), 0);
  EXPECT_EQ(t.reshaped({1 << 10, 1 << 30}).dim(1), 1 << 30);
  EXPECT_EQ(Allocator::shared().stats().live, before);
}

TEST(Tensor, BorrowsNumbersAndKeepsTheirOwner) {
  const auto numbers =
      std::make_shared<const std::vector<float>>(std::vector<float>{1, 2, 3});
  {
    const Tensor t = Tensor::borrowed(
        {3}, std::shared_ptr<const float>(numbers, numbers->data()));
    EXPECT_EQ(t.data(), numbers->data());
    EXPECT_EQ(numbers.use_count(), 2);
    EXPECT_EQ(t.clone()[2], 3);
  }
  EXPECT_EQ(numbers.use_count(), 1);
}

TEST(Tensor, CopiesElementsOfAnotherShape) {
  const Tensor t({2, 3});
  t.copy_from(Tensor::of({6}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(t[5], 6);
}

TEST(Tensor, RefusesWhatDoesNotFit) {
  const Tensor t = Tensor::zeros({2, 3});
  EXPECT_THROW(t.item(), Error);
  EXPECT_THROW(t.reshaped({5}), Error);
  EXPECT_THROW(t.row_range(1, 3), Error);
  EXPECT_THROW(t.row_range(2, 1), Error);
  EXPECT_THROW(t.copy_from(Tensor({5})), Error);
  EXPECT_THROW(Tensor::of({2}, {1, 2, 3}), Error);
  EXPECT_THROW(Tensor(Shape()).row_range(0, 1), Error);
}

}  // namespace
}  // namespace fovea
