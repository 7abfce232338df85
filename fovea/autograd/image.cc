#include "fovea/autograd/image.h"

#include "fovea/base/check.h"
#include "fovea/kernels/pool2d.h"
#include "fovea/kernels/resample.h"

namespace fovea {
namespace {

void check_image(const char* op, const Var& x) {
  check(x.shape().rank() == 4, op, ": x of shape ", x.shape(),
        ", expected [B, H, W, C]");
}

kernels::Pool2d pool_of(const char* op, const Var& x,
                        const Pool2dOptions& options) {
  check_image(op, x);
  const kernels::Pool2d pool{.batch = x.dim(0),
                             .height = x.dim(1),
                             .width = x.dim(2),
                             .channels = x.dim(3),
                             .window = options.window,
                             .stride = options.stride,
                             .pad = options.pad};
  check(pool.window >= 1 && pool.stride >= 1 && pool.pad >= 0 &&
            pool.pad < pool.window,
        op, ": window ", pool.window, ", stride ", pool.stride, ", padding ",
        pool.pad);
  check(pool.window <= pool.height + 2 * pool.pad &&
            pool.window <= pool.width + 2 * pool.pad,
        op, ": a window of ", pool.window, " on an image of ", pool.height,
        " x ", pool.width);
  return pool;
}

Tensor pooled(const kernels::Pool2d& pool) {
  return Tensor(
      {pool.batch, pool.out_height(), pool.out_width(), pool.channels});
}

}  // namespace

Var max_pool2d(const Var& x, const Pool2dOptions& options) {
  const kernels::Pool2d pool = pool_of("max_pool2d", x, options);
  const Tensor a = x.value();
  Tensor y = pooled(pool);
  kernels::max_pool2d(pool, a.span(), y.span());
  return record(y, {x}, [pool, a](const Tensor& dy, Grads dx) {
    kernels::max_pool2d_backward(pool, a.span(), dy.span(), dx[0].sum().span());
  });
}

Var average_pool2d(const Var& x, const Pool2dOptions& options) {
  const kernels::Pool2d pool = pool_of("average_pool2d", x, options);
  Tensor y = pooled(pool);
  kernels::average_pool2d(pool, x.value().span(), y.span());
  return record(y, {x}, [pool](const Tensor& dy, Grads dx) {
    kernels::average_pool2d_backward(pool, dy.span(), dx[0].sum().span());
  });
}

Var resample(const Var& x, const ResampleOptions& options) {
  check_image("resample", x);
  check(options.height >= 1 && options.width >= 1 && x.dim(1) >= 1 &&
            x.dim(2) >= 1,
        "resample: from ", x.dim(1), " x ", x.dim(2), " to ", options.height,
        " x ", options.width);
  const kernels::Resample r{.batch = x.dim(0),
                            .height = x.dim(1),
                            .width = x.dim(2),
                            .channels = x.dim(3),
                            .out_height = options.height,
                            .out_width = options.width,
                            .align_corners = options.align_corners};
  Tensor y({r.batch, r.out_height, r.out_width, r.channels});
  kernels::resample_bilinear(r, x.value().span(), y.span());
  return record(y, {x}, [r](const Tensor& dy, Grads dx) {
    kernels::resample_bilinear_backward(r, dy.span(), dx[0].sum().span());
  });
}

}  // namespace fovea
