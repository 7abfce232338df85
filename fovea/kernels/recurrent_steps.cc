#include "fovea/kernels/recurrent_steps.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <vector>

namespace fovea::kernels {
namespace {

// Fewer rows than this a thread, and the product is better cut by columns.
constexpr int kRowsForAThread = 8;

std::vector<int> longest_first(const Segments& of) {
  std::vector<int> order(of.count());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int a, int b) {
    const int la = of.length(a), lb = of.length(b);
    return la != lb ? la > lb : a < b;
  });
  return order;
}

// Deals the sorted sequences out there and back (0 1 1 0 0 1 1 0 ...): every
// group gets nearly as many tokens, and as many rows at each step.
std::vector<std::vector<int>> deal(const std::vector<int>& order, int groups) {
  std::vector<std::vector<int>> hands(groups);
  for (size_t i = 0; i < order.size(); ++i) {
    const int place = static_cast<int>(i % (2 * groups));
    hands[place < groups ? place : 2 * groups - 1 - place].push_back(order[i]);
  }
  return hands;
}

std::span<const float> row_span(ConstMatrixView m, int64_t row) {
  return {m.row(row), static_cast<size_t>(m.cols)};
}

}  // namespace

int StepGroup::active(int step) const {
  const auto ended = std::ranges::partition_point(
      sequences_, [&](int b) { return time_.of.length(b) > step; });
  return static_cast<int>(ended - sequences_.begin());
}

void for_each_group(const Timeline& time,
                    FunctionRef<void(const StepGroup&)> body) {
  const std::vector<int> order = longest_first(time.of);
  const int groups = std::clamp(time.of.count() / kRowsForAThread, 1,
                                std::max(1, thread_limit()));
  const std::vector<std::vector<int>> hands = deal(order, groups);
  parallel_for(groups, 1, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) body(StepGroup(time, hands[g]));
  });
}

void gather_lanes(const StepGroup& group, ConstMatrixView rows,
                  MatrixView lanes) {
  for (int j = 0; j < group.lanes(); ++j) {
    if (rows.data) {
      const float* from = rows.row(group.sequence(j));
      std::copy(from, from + lanes.cols, lanes.row(j));
    } else {
      std::fill_n(lanes.row(j), lanes.cols, 0.0f);
    }
  }
}

void scatter_lanes(const StepGroup& group, ConstMatrixView lanes,
                   MatrixView rows) {
  for (int j = 0; j < group.lanes(); ++j) {
    std::ranges::copy(row_span(lanes, j), rows.row(group.sequence(j)));
  }
}

void scatter_add_lanes(const StepGroup& group, ConstMatrixView lanes,
                       MatrixView rows) {
  if (!rows.data) return;
  for (int j = 0; j < group.lanes(); ++j) {
    float* to = rows.row(group.sequence(j));
    for (int64_t k = 0; k < rows.cols; ++k) to[k] += lanes.row(j)[k];
  }
}

void step_product(bool zero, ConstMatrixView h, const WeightMatrix& u,
                  MatrixView out) {
  assert(h.cols == u.in() && out.cols == u.out() && h.rows == out.rows);
  if (zero) {
    for (int64_t i = 0; i < out.rows; ++i) {
      std::fill_n(out.row(i), out.cols, 0.0f);
    }
  } else {
    u.multiply(h, out);
  }
}

void previous_rows(const Timeline& time, ConstMatrixView states,
                   ConstMatrixView initial, MatrixView out) {
  const Segments& of = time.of;
  parallel_for(of.count(), 16, [&](int64_t begin, int64_t end) {
    for (int b = static_cast<int>(begin); b < end; ++b) {
      if (of.length(b) == 0) continue;
      const int64_t first = time.reverse ? of.end(b) - 1 : of.begin(b);
      if (initial.data) {
        std::ranges::copy(row_span(initial, b), out.row(first));
      } else {
        std::fill_n(out.row(first), out.cols, 0.0f);
      }
      const int64_t shift = time.reverse ? 1 : -1;
      for (int64_t row = of.begin(b); row < of.end(b); ++row) {
        if (row == first) continue;
        std::ranges::copy(row_span(states, row + shift), out.row(row));
      }
    }
  });
}

}  // namespace fovea::kernels
