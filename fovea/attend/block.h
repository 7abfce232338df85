#pragma once

#include "fovea/autograd/norm.h"
#include "fovea/base/fields.h"
#include "fovea/layers/layer_norm.h"
#include "fovea/layers/pass.h"

// What Transformer encoders and decoders share: how sublayers are joined.
namespace fovea {

enum class NormOrder {
  kPre,   // x + drop(f(norm(x))), and one more norm at the end
  kPost,  // norm(x + drop(f(x))), as Vaswani et al. 2017 printed it
};
constexpr EnumName<NormOrder> kNormOrders[] = {{NormOrder::kPre, "pre"},
                                               {NormOrder::kPost, "post"}};
constexpr auto& enum_names(NormOrder) { return kNormOrders; }

// The rows between two sublayers: the running sum, and what the next sublayer
// reads. With post-norm both are the same.
struct Stream {
  Var sum, read;
};

// How a stack of sublayers is joined. Pre-norm applies the norm of the sublayer
// that follows, so that residual, dropout and norm are one pass over memory.
class Join {
 public:
  Join() = default;
  Join(NormOrder order, float dropout) : order_(order), dropout_(dropout) {}

  NormOrder order() const { return order_; }
  // `first` is the norm of the first sublayer.
  Stream begin(const Var& x, const LayerNorm& first) const;
  // Adds what a sublayer gave. `own` is that sublayer's norm, `next` that of
  // the following one, or the last one of the stack.
  Stream add(const Stream& stream, const Var& f, const LayerNorm& own,
             const LayerNorm& next, const Pass& pass) const;

 private:
  NormOrder order_ = NormOrder::kPre;
  float dropout_ = 0.0f;
};

}  // namespace fovea
