#include "fovea/autograd/gather.h"

#include <utility>
#include <vector>

#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/gather.h"

namespace fovea {
namespace {

void check_matrix(const char* op, const Var& x) {
  check(x.shape().rank() == 2, op, ": a value of shape ", x.shape(),
        " is not a matrix");
}

// Checks that the parts agree in the other axis; returns the sum over `axis`.
int64_t check_parts(const char* op, std::span<const Var> parts, int axis) {
  check(!parts.empty(), op, ": no parts");
  int64_t total = 0;
  for (const Var& part : parts) {
    check_matrix(op, part);
    check(part.dim(1 - axis) == parts[0].dim(1 - axis), op, ": shapes ",
          parts[0].shape(), " and ", part.shape(), " do not fit");
    total += part.dim(axis);
  }
  return total;
}

}  // namespace

Var gather(const Var& table, std::span<const int> ids) {
  check_matrix("gather", table);
  for (int id : ids) {
    check(0 <= id && id < table.dim(0), "gather: row ", id, " of ",
          table.dim(0));
  }
  Tensor y({static_cast<int64_t>(ids.size()), table.dim(1)});
  kernels::gather_rows(matrix(table.value()), ids, matrix(y));
  if (!recording({table})) return y;
  return record(y, {table},
                [ids = std::vector<int>(ids.begin(), ids.end())](
                    const Tensor& dy, Grads dx) {
                  const Tensor sum = dx[0].sum();
                  kernels::scatter_add_rows(matrix(dy), ids, matrix(sum));
                });
}

Var reshape(const Var& x, const Shape& shape) {
  return record(x.value().reshaped(shape), {x},
                [](const Tensor& dy, Grads dx) { dx[0].add(dy); });
}

Var concat_columns(std::span<const Var> parts) {
  const int64_t cols = check_parts("concat_columns", parts, 1);
  Tensor y({parts[0].dim(0), cols});
  std::vector<int64_t> begins{0};
  for (const Var& part : parts) {
    const int64_t begin = begins.back(), end = begin + part.dim(1);
    kernels::copy(matrix(part.value()), matrix(y).col_range(begin, end));
    begins.push_back(end);
  }
  return record(y, parts, [begins](const Tensor& dy, Grads dx) {
    for (size_t i = 0; i < dx.size(); ++i) {
      if (!dx[i]) continue;
      const auto columns = matrix(dy).col_range(begins[i], begins[i + 1]);
      auto [sum, accumulate] = dx[i].target();
      if (accumulate) {
        kernels::add(columns, matrix(sum));
      } else {
        kernels::copy(columns, matrix(sum));
      }
    }
  });
}

Var concat_rows(std::span<const Var> parts) {
  const int64_t rows = check_parts("concat_rows", parts, 0);
  Tensor y({rows, parts[0].dim(1)});
  std::vector<int64_t> begins{0};
  for (const Var& part : parts) {
    const int64_t begin = begins.back(), end = begin + part.dim(0);
    y.row_range(begin, end).copy_from(part.value());
    begins.push_back(end);
  }
  return record(y, parts, [begins](const Tensor& dy, Grads dx) {
    for (size_t i = 0; i < dx.size(); ++i) {
      if (dx[i]) dx[i].add(dy.row_range(begins[i], begins[i + 1]));
    }
  });
}

Var slice_columns(const Var& x, int64_t begin, int64_t end) {
  check_matrix("slice_columns", x);
  check(0 <= begin && begin <= end && end <= x.dim(1), "slice_columns: ", begin,
        " to ", end, " of a value of shape ", x.shape());
  Tensor y({x.dim(0), end - begin});
  kernels::copy(matrix(x.value()).col_range(begin, end), matrix(y));
  return record(y, {x}, [begin, end](const Tensor& dy, Grads dx) {
    const Tensor sum = dx[0].sum();
    kernels::add(matrix(dy), matrix(sum).col_range(begin, end));
  });
}

Var slice_rows(const Var& x, int64_t begin, int64_t end) {
  return record(x.value().row_range(begin, end), {x},
                [begin, end](const Tensor& dy, Grads dx) {
                  const auto [sum, accumulate] = dx[0].target();
                  const Tensor rows = sum.row_range(begin, end);
                  if (accumulate) return kernels::add(dy.span(), rows.span());
                  sum.row_range(0, begin).fill(0.0f);
                  rows.copy_from(dy);
                  sum.row_range(end, sum.dim(0)).fill(0.0f);
                });
}

}  // namespace fovea
