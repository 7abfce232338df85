#include "fovea/autograd/softmax.h"

#include "fovea/base/check.h"
#include "fovea/kernels/softmax.h"

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

Var softmax_of(const Var& x, const Rows& rows) {
  Tensor y(x.shape());
  kernels::softmax(x.value().data(), rows.get(), y.data());
  return record(y, {x}, [y, rows](const Tensor& dy, Grads dx) {
    auto [sum, accumulate] = dx[0].target();
    kernels::softmax_backward(y.data(), dy.data(), rows.get(), sum.data(),
                              accumulate);
  });
}

Var log_softmax_of(const Var& x, const Rows& rows) {
  Tensor y(x.shape());
  kernels::log_softmax(x.value().data(), rows.get(), y.data());
  return record(y, {x}, [y, rows](const Tensor& dy, Grads dx) {
    auto [sum, accumulate] = dx[0].target();
    kernels::log_softmax_backward(y.data(), dy.data(), rows.get(), sum.data(),
                                  accumulate);
  });
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

}  // namespace fovea
