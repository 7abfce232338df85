#include "fovea/kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/base/parallel.h"
#include "support/compare.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/twin_gemm.h"

namespace fovea::kernels {
namespace {

using ::fovea::testing::close;
using ::fovea::testing::Doubles;
using ::fovea::testing::effort;
using ::fovea::testing::random_doubles;
using ::fovea::testing::random_floats;
using ::fovea::testing::same_bits;
using ::fovea::testing::to_float;
using ::fovea::testing::TwinGemm;
using ::fovea::testing::with_threads;

using Floats = std::vector<float>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A matrix whose rows lie further apart than they are long.
class Strided {
 public:
  Strided(const Doubles& values, int rows, int cols, int gap)
      : rows_(rows), cols_(cols), stride_(cols + gap) {
    memory_.assign(rows * stride_ + 1, kNan);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) {
        memory_[i * stride_ + j] = static_cast<float>(values[i * cols + j]);
      }
    }
  }
  MatrixView view() { return {memory_.data(), rows_, cols_, stride_}; }
  Floats values() const {
    Floats out;
    for (int i = 0; i < rows_; ++i) {
      out.insert(out.end(), &memory_[i * stride_],
                 &memory_[i * stride_] + cols_);
    }
    return out;
  }
  bool gaps_are_untouched() const {
    for (int i = 0; i < rows_; ++i) {
      for (int j = cols_; j < stride_; ++j) {
        if (!std::isnan(memory_[i * stride_ + j])) return false;
      }
    }
    return true;
  }

 private:
  int rows_, cols_, stride_;
  Floats memory_;
};

void expect_equal_to_twin(const TwinGemm& g, bool accumulate, int gap) {
  const Doubles a = random_doubles(g.rows * g.depth, 1);
  Doubles b = random_doubles(g.depth * g.cols, 2);
  for (double& v : b) v /= std::sqrt(g.depth);
  const Doubles bias = random_doubles(g.cols, 3);
  const Doubles before = accumulate ? random_doubles(g.rows * g.cols, 4)
                                    : Doubles(g.rows * g.cols, kNan);
  Strided sa(a, g.transpose_a ? g.depth : g.rows,
             g.transpose_a ? g.rows : g.depth, gap);
  Strided sb(b, g.transpose_b ? g.cols : g.depth,
             g.transpose_b ? g.depth : g.cols, gap);
  Strided sc(before, g.rows, g.cols, gap);
  const Floats bias_f = to_float(bias);
  gemm(sa.view(), sb.view(), sc.view(),
       {.transpose_a = g.transpose_a,
        .transpose_b = g.transpose_b,
        .accumulate = accumulate,
        .alpha = static_cast<float>(g.alpha),
        .bias = bias_f,
        .activation = g.activation});
  EXPECT_TRUE(close(sc.values(),
                    twin_gemm(g, a, b, bias, accumulate ? before : Doubles{}),
                    5e-6))
      << g.rows << " x " << g.depth << " x " << g.cols << " transposed "
      << g.transpose_a << g.transpose_b << " activation "
      << static_cast<int>(g.activation);
  EXPECT_TRUE(sc.gaps_are_untouched());
}

TEST(Gemm, EqualsTheTwinInEveryCase) {
  constexpr int kSizes[][3] = {{1, 1, 1},   {1, 40, 33}, {7, 9, 8},
                               {8, 7, 9},   {33, 1, 17}, {19, 64, 31},
                               {130, 5, 66}};
  for (const auto& [rows, depth, cols] : kSizes) {
    for (const int transposes : {0, 1, 2, 3}) {
      for (const Activation activation :
           {Activation::kNone, Activation::kRelu, Activation::kGelu,
            Activation::kTanh, Activation::kSigmoid}) {
        for (const bool accumulate : {false, true}) {
          TwinGemm g{.rows = rows, .cols = cols, .depth = depth};
          g.transpose_a = (transposes & 1) != 0;
          g.transpose_b = (transposes & 2) != 0;
          g.alpha = accumulate ? 1.0 : -0.75;
          g.activation = activation;
          expect_equal_to_twin(g, accumulate, transposes);
        }
      }
    }
  }
}

// One shape for every rule of the table, for each number of threads.
TEST(Gemm, EqualsTheTwinWhicheverEngineComputesIt) {
  const TwinGemm kShapes[] = {
      {.rows = 40, .cols = 30, .depth = 20, .transpose_a = true},
      {.rows = 2050, .cols = 9, .depth = 70, .transpose_a = true},
      {.rows = 9, .cols = 2050, .depth = 70, .transpose_a = true},
      {.rows = 70, .cols = 60, .depth = 80, .transpose_a = true},
      {.rows = 70, .cols = 50, .depth = 300, .transpose_a = true},
      {.rows = effort(1030, 200), .cols = 513, .depth = 515},
      {.rows = effort(1030, 200),
       .cols = 513,
       .depth = 515,
       .transpose_b = true},
      {.rows = 200, .cols = 40, .depth = 600, .transpose_b = true},
      {.rows = 200, .cols = 40, .depth = 300},
      {.rows = 9, .cols = 600, .depth = 30},
  };
  with_threads({1, 2}, [&](int) {
    for (const TwinGemm& g : kShapes) expect_equal_to_twin(g, false, 3);
  });
}

TEST(Gemm, HandlesEmptySizes) {
  Floats c(6, kNan);
  const Floats bias = {1, 2, 3};
  const Floats nothing;
  gemm({nothing.data(), 2, 0}, {nothing.data(), 0, 3}, {c.data(), 2, 3},
       {.bias = bias});
  EXPECT_EQ(c, Floats({1, 2, 3, 1, 2, 3}));
  gemm({nothing.data(), 0, 2}, {nothing.data(), 3, 0}, {c.data(), 2, 3},
       {.transpose_a = true, .transpose_b = true, .accumulate = true});
  EXPECT_EQ(c, Floats({1, 2, 3, 1, 2, 3}));
  const Floats b = random_floats(12, 1);
  gemm({nothing.data(), 0, 4}, {b.data(), 4, 3}, {nullptr, 0, 3});
  gemm({b.data(), 3, 4}, {nothing.data(), 4, 0}, {nullptr, 3, 0});
}

TEST(Gemm, GivesTheSameBitsTwiceOnTheSameThreads) {
  const Floats a = random_floats(300 * 520, 1), b = random_floats(520 * 90, 2);
  with_threads({1, 2}, [&](int) {
    Floats first(300 * 90), second(300 * 90);
    gemm({a.data(), 300, 520}, {b.data(), 520, 90}, {first.data(), 300, 90});
    gemm({a.data(), 300, 520}, {b.data(), 520, 90}, {second.data(), 300, 90});
    EXPECT_TRUE(same_bits(second, first));
  });
}

TEST(Gemm, WorksInsideAParallelLoop) {
  const Floats a = random_floats(200 * 300, 1), b = random_floats(300 * 50, 2);
  Floats alone(200 * 50);
  {
    ThreadLimit limit(1);
    gemm({a.data(), 200, 300}, {b.data(), 300, 50}, {alone.data(), 200, 50});
  }
  std::vector<Floats> c(4, Floats(200 * 50));
  ThreadLimit limit(4);
  parallel_tasks(4, [&](int64_t i, int) {
    gemm({a.data(), 200, 300}, {b.data(), 300, 50}, {c[i].data(), 200, 50});
  });
  for (const Floats& x : c) EXPECT_TRUE(same_bits(x, alone));
}

}  // namespace
}  // namespace fovea::kernels
