#include "fovea/attend/input_feeding.h"

#include "fovea/autograd/gather.h"

namespace fovea {

InputFeeding::InputFeeding(int context, int state, int out, RandomKey key,
                           RecurrentInit init)
    : out_(out) {
  combine_.weight =
      Var::parameter(input_init(init, 1, out, context + state, key));
}

Var InputFeeding::attentional(const Var& context, const Var& state) const {
  return combine_(concat_columns({context, state}), Activation::kTanh);
}

Var InputFeeding::feed(const Var& embedding, const Var& last) const {
  const Var before = last ? last : Tensor::zeros({embedding.dim(0), out_});
  return concat_columns({embedding, before});
}

InputFeeding InputFeeding::looped() const {
  InputFeeding copy = *this;
  copy.combine_ = combine_.looped();
  return copy;
}

}  // namespace fovea
