#include "fovea/tensor/rows.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"

namespace fovea {
namespace {

TEST(Rows, StayWhereTheyAreWhileThereIsRoom) {
  Rows rows{{0, 2, 4}, {6, 0, 1}};
  EXPECT_FALSE(make_room(rows, std::vector<int>{2, 1}));
  EXPECT_EQ(rows[1].start, 6);
  EXPECT_EQ(total_capacity(rows), 7);
}

TEST(Rows, GetMoreRoomWhereThereIsTooLittle) {
  Rows rows{{0, 3, 4}, {4, 20, 20}, {24, 0, 0}, {24, 2, 2}};
  EXPECT_TRUE(make_room(rows, std::vector<int>{1, 1, 5, 1}));
  EXPECT_EQ(rows[0].capacity, 4);
  EXPECT_EQ(rows[1].capacity, 30);
  EXPECT_EQ(rows[1].length, 20);
  EXPECT_EQ(rows[2].start, 34);
  EXPECT_EQ(rows[2].capacity, 5);
  EXPECT_EQ(rows[3].capacity, 6);
  EXPECT_EQ(total_capacity(rows), 45);
}

TEST(Rows, RefuseMoreThanAnIntCounts) {
  Rows rows{{0, 3 << 29, 3 << 29}};
  EXPECT_THROW(make_room(rows, std::vector<int>{1}), Error);
  EXPECT_THROW(make_room(rows, std::vector<int>{}), Error);
}

TEST(Rows, OfNoSequencesNeedNoRoom) {
  Rows none;
  EXPECT_FALSE(make_room(none, {}));
  EXPECT_EQ(total_capacity(none), 0);
}

}  // namespace
}  // namespace fovea
