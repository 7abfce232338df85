#include "fovea/kernels/gather.h"

#include "fovea/base/rng.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea::kernels {
namespace {

using namespace testing;  // NOLINT: the support library

std::vector<int> random_ids(int count, int bound) {
  std::vector<int> ids(count);
  for (int i = 0; i < count; ++i) {
    ids[i] = static_cast<int>(random_below(RandomKey(3), i, bound));
  }
  return ids;
}

TEST(Gather, CopiesTheNamedRows) {
  on_every_target([] {
    for (int cols : {1, 7, 8, 9, 33}) {
      for (int count : {0, 1, 40}) {
        const auto table = random_floats(11 * cols, 1);
        const auto ids = random_ids(count, 11);
        std::vector<float> y(count * cols);
        gather_rows({table.data(), 11, cols}, ids, {y.data(), count, cols});
        for (int i = 0; i < count * cols; ++i) {
          ASSERT_EQ(y[i], table[ids[i / cols] * cols + i % cols]);
        }
      }
    }
  });
}

TEST(Gather, ScattersDuplicatesAlikeForAnyNumberOfThreads) {
  on_every_target([] {
    for (int cols : {1, 7, 8, 9, 33, 200}) {
      const int count = 1000, words = 13;
      const auto x = random_floats(count * cols, 1);
      const auto before = random_floats(words * cols, 2);
      const auto ids = random_ids(count, words);
      std::vector<double> expected = to_double(before);
      for (int i = 0; i < count * cols; ++i) {
        expected[ids[i / cols] * cols + i % cols] += x[i];
      }
      std::vector<float> first;
      with_threads({1, 2, 4}, [&](int) {
        std::vector<float> table = before;
        scatter_add_rows({x.data(), count, cols}, ids,
                         {table.data(), words, cols});
        EXPECT_TRUE(close(table, expected, 1e-5));
        if (first.empty()) first = table;
        EXPECT_TRUE(same_bits(table, first));
      });
    }
  });
}

TEST(Gather, WorksOnStridedViews) {
  on_every_target([] {
    const std::vector<int> ids{2, 0, 2};
    const auto table = random_floats(3 * 8, 1);
    std::vector<float> y(3 * 9, 7.0f), sum(3 * 8, 0.0f);
    gather_rows({table.data(), 3, 5, 8}, ids, {y.data(), 3, 5, 9});
    scatter_add_rows({y.data(), 3, 5, 9}, ids, {sum.data(), 3, 5, 8});
    for (int j = 0; j < 8; ++j) {
      EXPECT_EQ(y[9 + j], j < 5 ? table[j] : 7.0f);
      EXPECT_EQ(sum[16 + j], j < 5 ? 2 * table[16 + j] : 0.0f);
      EXPECT_EQ(sum[8 + j], 0.0f);
    }
  });
}

}  // namespace
}  // namespace fovea::kernels
