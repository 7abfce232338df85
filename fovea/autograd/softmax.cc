#include "fovea/autograd/softmax.h"

#include "fovea/base/check.h"
#include "fovea/kernels/softmax.h"
#include "fovea/kernels/sparsemax.h"
#include "fovea/kernels/topk.h"

namespace fovea {
namespace {

using kernels::RaggedRows;

// The rows of a tensor: segments of its elements, or else its last axis.
struct Rows {
  explicit Rows(const Var& x) : length(x.value().cols()) {
    count = x.value().rows();
  }
  Rows(const Var& x, const Segments& of) : segments(of), ragged(true) {
    check(x.value().size() == of.total(), "softmax: rows of ", of.total(),
          " elements for a value of shape ", x.shape());
  }
  RaggedRows get() const {
    return ragged ? RaggedRows(segments.offsets())
                  : RaggedRows(count, length, length);
  }

  Segments segments;
  bool ragged = false;
  int64_t count = 0, length = 0;
};

using Backward = void (*)(const float* y, const float* dy, const RaggedRows&,
                          float* dx, bool accumulate);

// y is a function of x whose gradient follows from y.
Var of_rows(const Var& x, const Tensor& y, const Rows& rows,
            Backward backward) {
  return record(y, {x}, [=](const Tensor& dy, Grads dx) {
    auto [sum, accumulate] = dx[0].target();
    backward(y.data(), dy.data(), rows.get(), sum.data(), accumulate);
  });
}

Var softmax_of(const Var& x, const Rows& rows) {
  const Tensor y(x.shape());
  kernels::softmax(x.value().data(), rows.get(), y.data());
  return of_rows(x, y, rows, kernels::softmax_backward);
}

Var log_softmax_of(const Var& x, const Rows& rows) {
  const Tensor y(x.shape());
  kernels::log_softmax(x.value().data(), rows.get(), y.data());
  return of_rows(x, y, rows, kernels::log_softmax_backward);
}

}  // namespace

Var softmax(const Var& x) { return softmax_of(x, Rows(x)); }
Var log_softmax(const Var& x) { return log_softmax_of(x, Rows(x)); }

Var softmax(const Var& x, const Segments& rows) {
  return softmax_of(x, Rows(x, rows));
}

Var log_softmax(const Var& x, const Segments& rows) {
  return log_softmax_of(x, Rows(x, rows));
}

Var sparsemax(const Var& x, const Segments& of) {
  const Rows rows(x, of);
  const Tensor y(x.shape());
  kernels::sparsemax(x.value().data(), rows.get(), y.data());
  return of_rows(x, y, rows, kernels::sparsemax_backward);
}

Var entmax15(const Var& x, const Segments& of) {
  const Rows rows(x, of);
  const Tensor y(x.shape());
  kernels::entmax15(x.value().data(), rows.get(), y.data());
  return of_rows(x, y, rows, kernels::entmax15_backward);
}

Var topk_softmax(const Var& x, const Segments& of, int k) {
  check(k >= 1, "topk_softmax: the ", k, " largest");
  const Rows rows(x, of);
  const Tensor y(x.shape());
  kernels::keep_topk(x.value().data(), rows.get(), k, y.data());
  kernels::softmax(y.data(), rows.get(), y.data());
  // What was left out has y = 0, and so no gradient.
  return of_rows(x, y, rows, kernels::softmax_backward);
}

}  // namespace fovea
