#include "fovea/attend/block.h"

namespace fovea {

Stream Join::begin(const Var& x, const LayerNorm& first) const {
  return order_ == NormOrder::kPre ? Stream{x, first(x)} : Stream{x, x};
}

Stream Join::add(const Stream& stream, const Var& f, const LayerNorm& own,
                 const LayerNorm& next, const Pass& pass) const {
  const bool pre = order_ == NormOrder::kPre;
  const Residual r = residual_dropout_norm(
      stream.sum, f, pass.training ? dropout_ : 0.0f, pass.key.with("residual"),
      (pre ? next : own).parts());
  return pre ? Stream{r.sum, r.normed} : Stream{r.normed, r.normed};
}

}  // namespace fovea
