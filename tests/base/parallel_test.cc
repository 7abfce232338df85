#include "fovea/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "fovea/base/check.h"
#include "support/compare.h"

namespace fovea {
namespace {

using testing::with_threads;

using Parts = std::vector<std::pair<int64_t, int64_t>>;

Parts parts_of(int64_t count, int64_t grain) {
  Parts parts;
  std::mutex mutex;
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    std::lock_guard lock(mutex);
    parts.emplace_back(begin, end);
  });
  std::ranges::sort(parts);
  return parts;
}

TEST(ParallelFor, CoversTheRangeOnceInPartsNotBelowTheGrain) {
  with_threads({1, 2, 3, 4}, [](int threads) {
    for (int64_t count : {0, 1, 2, 5, 7, 64, 1001}) {
      for (int64_t grain : {1, 3, 10, 2000}) {
        const Parts parts = parts_of(count, grain);
        EXPECT_LE(parts.size(), static_cast<size_t>(threads));
        int64_t next = 0;
        for (const auto& [begin, end] : parts) {
          EXPECT_EQ(begin, next);
          EXPECT_GE(end - begin, std::min(grain, count));
          next = end;
        }
        EXPECT_EQ(next, count);
        EXPECT_EQ(parts, parts_of(count, grain));
      }
    }
  });
}

TEST(ParallelFor, UsesAllThreadsThatTheGrainAllows) {
  with_threads({4}, [](int) {
    EXPECT_EQ(parts_of(100, 1).size(), 4u);
    EXPECT_EQ(parts_of(100, 50).size(), 2u);
    EXPECT_EQ(parts_of(3, 1).size(), 3u);
  });
}

TEST(ParallelFor, ThrowsTheExceptionOfABody) {
  with_threads({1, 4}, [](int) {
    for (int round = 0; round < 20; ++round) {
      EXPECT_THROW(
          parallel_for(100, 1, [](int64_t, int64_t) { check(false, "no"); }),
          Error);
      EXPECT_THROW(parallel_for(100, 1,
                                [](int64_t, int64_t end) {
                                  check(end != 100, "the last");
                                }),
                   Error);
    }
    EXPECT_EQ(parts_of(10, 10).size(), 1u);  // and goes on
  });
}

TEST(ParallelFor, RunsNestedCallsInPlace) {
  with_threads({4}, [](int) {
    EXPECT_FALSE(in_parallel());
    std::vector<int> touched(400, 0);
    parallel_for(4, 1, [&](int64_t begin, int64_t end) {
      EXPECT_TRUE(in_parallel());
      EXPECT_EQ(thread_limit(), 1);
      for (int64_t i = begin; i < end; ++i) {
        int calls = 0;
        parallel_for(100, 1, [&](int64_t from, int64_t to) {
          ++calls;
          for (int64_t j = from; j < to; ++j) ++touched[100 * i + j];
        });
        EXPECT_EQ(calls, 1);
      }
    });
    EXPECT_TRUE(std::ranges::all_of(touched, [](int n) { return n == 1; }));
    EXPECT_EQ(thread_limit(), 4);
  });
}

TEST(ParallelFor, ThrowsFromNestedCalls) {
  with_threads({2}, [](int) {
    EXPECT_THROW(parallel_for(2, 1,
                              [](int64_t, int64_t) {
                                parallel_for(2, 1, [](int64_t, int64_t) {
                                  check(false, "inside");
                                });
                              }),
                 Error);
  });
}

TEST(ParallelTasks, GivesEachIndexToOneNumberedWorker) {
  with_threads({1, 2, 4}, [](int threads) {
    for (int64_t count : {0, 1, 3, 200}) {
      std::vector<std::atomic<int>> calls(count);
      parallel_tasks(count, [&](int64_t i, int worker) {
        EXPECT_TRUE(0 <= worker && worker < threads);
        ++calls[i];
      });
      for (const auto& n : calls) EXPECT_EQ(n, 1);
    }
  });
}

TEST(ParallelTasks, ThrowsTheExceptionOfABody) {
  with_threads({1, 4}, [](int) {
    EXPECT_THROW(
        parallel_tasks(50, [](int64_t i, int) { check(i != 31, "task ", i); }),
        Error);
  });
}

TEST(ThreadLimit, HoldsForItsScope) {
  const int before = thread_limit();
  {
    ThreadLimit three(3);
    EXPECT_EQ(thread_limit(), 3);
    ThreadLimit none(0);
    EXPECT_EQ(thread_limit(), 1);
  }
  EXPECT_EQ(thread_limit(), before);
}

TEST(FlushDenormals, ReachesEveryThreadOfThePool) {
  with_threads({4}, [](int) {
    flush_denormals();
    parallel_for(4, 1, [](int64_t, int64_t) {
      volatile float small = std::numeric_limits<float>::min();
      EXPECT_EQ(small * 0.25f, 0.0f);
    });
  });
}

}  // namespace
}  // namespace fovea
