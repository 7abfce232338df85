#include "fovea/kernels/epilogue.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/epilogue.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
constexpr D d;
using V = hn::Vec<D>;

void FinishRows(MatrixView c, const float* bias, Activation activation) {
  const int64_t lanes = hn::Lanes(d);
  const int64_t whole = c.cols / lanes * lanes;
  const int64_t rest = c.cols - whole;
  HWY_ALIGN float last_bias[hn::MaxLanes(d)] = {};
  if (bias != nullptr) std::copy_n(bias + whole, rest, last_bias);
  with_activation(d, activation, [&](auto op) {
    for (int64_t r = 0; r < c.rows; ++r) {
      float* y = c.row(r);
      for (int64_t i = 0; i < whole; i += lanes) {
        V v = hn::LoadU(d, y + i);
        if (bias != nullptr) v = hn::Add(v, hn::LoadU(d, bias + i));
        hn::StoreU(op(v), d, y + i);
      }
      HWY_ALIGN float last[hn::MaxLanes(d)] = {};
      std::copy_n(y + whole, rest, last);
      const V v = hn::Add(hn::Load(d, last), hn::Load(d, last_bias));
      hn::Store(op(v), d, last);
      std::copy_n(last, rest, y + whole);
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(FinishRows);

constexpr int64_t kGrain = 1 << 14;  // elements that are worth a thread

}  // namespace

void finish_product(MatrixView c, std::span<const float> bias,
                    Activation activation) {
  assert(bias.empty() || static_cast<int64_t>(bias.size()) == c.cols);
  if (c.cols == 0 || (bias.empty() && activation == Activation::kNone)) return;
  const float* b = bias.empty() ? nullptr : bias.data();
  const int64_t grain = std::max<int64_t>(1, kGrain / c.cols);
  parallel_for(c.rows, grain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(FinishRows)(c.row_range(begin, end), b, activation);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
