#include "fovea/autograd/reduce.h"

#include <memory>

#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/pool.h"
#include "fovea/kernels/reduce.h"
#include "fovea/tensor/allocator.h"

namespace fovea {
namespace {

using kernels::Pool;

void check_matrix(const char* op, const Var& x) {
  check(x.shape().rank() == 2, op, ": a value of shape ", x.shape(),
        " is not [N, D]");
}

void check_rows(const char* op, const Var& x, int64_t rows) {
  check(x.shape().rank() == 2 && x.dim(0) == rows, op, ": a value of shape ",
        x.shape(), " for ", rows, " rows");
}

Var sum_times(const Var& x, float factor) {
  const auto total = static_cast<float>(kernels::sum(x.value().span()));
  return record(Tensor::full({}, total * factor), {x},
                [factor](const Tensor& dy, Grads dx) {
                  auto [sum, accumulate] = dx[0].target();
                  const float each = dy.item() * factor;
                  if (accumulate) {
                    kernels::shift(each, sum.span(), sum.span());
                  } else {
                    sum.fill(each);
                  }
                });
}

Var pool(const char* op, Pool how, const Var& x, const Segments& of) {
  check_rows(op, x, of.total());
  Tensor y({of.count(), x.dim(1)});
  kernels::segment_pool(how, matrix(x.value()), of.offsets(), matrix(y));
  return record(y, {x}, [how, of](const Tensor& dy, Grads dx) {
    auto [sum, accumulate] = dx[0].target();
    kernels::segment_spread(how, matrix(dy), of.offsets(), matrix(sum),
                            accumulate);
  });
}

}  // namespace

Var sum(const Var& x) { return sum_times(x, 1.0f); }

Var mean(const Var& x) {
  const int64_t count = x.value().size();
  return sum_times(x, count ? 1.0f / static_cast<float>(count) : 0.0f);
}

Var row_sums(const Var& x) {
  check_matrix("row_sums", x);
  Tensor y({x.dim(0)});
  kernels::row_sums(matrix(x.value()), y.span());
  return record(y, {x}, [](const Tensor& dy, Grads dx) {
    const Tensor sum = dx[0].sum();
    kernels::add_column(matrix(sum), dy.span(), matrix(sum));
  });
}

Var column_sums(const Var& x) {
  check_matrix("column_sums", x);
  Tensor y({x.dim(1)});
  kernels::column_sums(matrix(x.value()), y.span());
  return record(y, {x}, [](const Tensor& dy, Grads dx) {
    const Tensor sum = dx[0].sum();
    kernels::add_row(matrix(sum), dy.span(), matrix(sum));
  });
}

Var segment_sum(const Var& x, const Segments& of) {
  return pool("segment_sum", Pool::kSum, x, of);
}

Var segment_mean(const Var& x, const Segments& of) {
  return pool("segment_mean", Pool::kMean, x, of);
}

Var segment_max(const Var& x, const Segments& of) {
  check_rows("segment_max", x, of.total());
  Tensor y({of.count(), x.dim(1)});
  auto winners = std::make_shared<Scratch<int>>(y.size());
  kernels::segment_max(matrix(x.value()), of.offsets(), matrix(y), *winners);
  return record(y, {x}, [winners](const Tensor& dy, Grads dx) {
    const Tensor sum = dx[0].sum();
    kernels::segment_max_backward(matrix(dy), *winners, matrix(sum));
  });
}

Var repeat_rows(const Var& x, const Segments& of) {
  check_rows("repeat_rows", x, of.count());
  Tensor y({of.total(), x.dim(1)});
  kernels::segment_spread(Pool::kSum, matrix(x.value()), of.offsets(),
                          matrix(y));
  return record(y, {x}, [of](const Tensor& dy, Grads dx) {
    auto [sum, accumulate] = dx[0].target();
    kernels::segment_pool(Pool::kSum, matrix(dy), of.offsets(), matrix(sum),
                          accumulate);
  });
}

}  // namespace fovea
