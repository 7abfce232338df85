#include "fovea/autograd/reduce.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "support/check_op.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library
using Inputs = std::vector<Doubles>;

const Segments kSegments = Segments::from_lengths(std::vector{3, 0, 1, 4});

TEST(ReduceOps, SumAndAverageEverything) {
  const auto twin = [](double factor) {
    return [factor](const Inputs& in) {
      double sum = 0;
      for (double v : in[0]) sum += v;
      return Doubles{sum * factor};
    };
  };
  check_op([](const auto& v) { return sum(v[0]); }, twin(1),
           {random_tensor({3, 7}, 1)});
  check_op([](const auto& v) { return mean(v[0]); }, twin(1.0 / 21),
           {random_tensor({3, 7}, 1)});
  EXPECT_EQ(mean(Tensor({0, 3})).value().item(), 0.0f);
}

TEST(ReduceOps, SumRowsAndColumns) {
  const auto twin = [](bool rows) {
    return [rows](const Inputs& in) {
      Doubles y(rows ? 3 : 7, 0.0);
      for (int i = 0; i < 21; ++i) y[rows ? i / 7 : i % 7] += in[0][i];
      return y;
    };
  };
  check_op([](const auto& v) { return row_sums(v[0]); }, twin(true),
           {random_tensor({3, 7}, 1)});
  check_op([](const auto& v) { return column_sums(v[0]); }, twin(false),
           {random_tensor({3, 7}, 1)});
}

TEST(ReduceOps, PoolOverSequencesEmptyOnesIncluded) {
  const auto twin = [](bool mean) {
    return [mean](const Inputs& in) {
      Doubles y(4 * 5, 0.0);
      for (int b = 0; b < 4; ++b) {
        for (int i = kSegments.begin(b) * 5; i < kSegments.end(b) * 5; ++i) {
          y[b * 5 + i % 5] += in[0][i] / (mean ? kSegments.length(b) : 1);
        }
      }
      return y;
    };
  };
  const Tensor x = random_tensor({8, 5}, 1);
  check_op([](const auto& v) { return segment_sum(v[0], kSegments); },
           twin(false), {x});
  check_op([](const auto& v) { return segment_mean(v[0], kSegments); },
           twin(true), {x});
}

TEST(ReduceOps, TakeTheLargestOfEachSequence) {
  const Twin twin = [](const Inputs& in) {
    Doubles y(4 * 5, 0.0);
    for (int b = 0; b < 4; ++b) {
      for (int i = kSegments.begin(b) * 5; i < kSegments.end(b) * 5; ++i) {
        double& best = y[b * 5 + i % 5];
        best = i < kSegments.begin(b) * 5 + 5 ? in[0][i]
                                              : std::max(best, in[0][i]);
      }
    }
    return y;
  };
  check_op([](const auto& v) { return segment_max(v[0], kSegments); }, twin,
           {random_tensor({8, 5}, 1)});
}

TEST(ReduceOps, RepeatARowForEachRowOfItsSequence) {
  const Twin twin = [](const Inputs& in) {
    Doubles y;
    for (int b = 0; b < 4; ++b) {
      for (int i = 0; i < kSegments.length(b); ++i) {
        y.insert(y.end(), &in[0][b * 5], &in[0][b * 5] + 5);
      }
    }
    return y;
  };
  check_op([](const auto& v) { return repeat_rows(v[0], kSegments); }, twin,
           {random_tensor({4, 5}, 1)});
}

TEST(ReduceOps, RefuseRowsThatDoNotFit) {
  EXPECT_THROW(segment_mean(Tensor::zeros({7, 2}), kSegments), Error);
  EXPECT_THROW(segment_max(Tensor::zeros({8}), kSegments), Error);
  EXPECT_THROW(repeat_rows(Tensor::zeros({8, 2}), kSegments), Error);
  EXPECT_THROW(row_sums(Tensor::zeros({8})), Error);
}

}  // namespace
}  // namespace fovea
