#include "fovea/attend/input_feeding.h"

#include "fovea/autograd/gather.h"

namespace fovea {

Var InputFeeding::attentional(const Var& context, const Var& state) const {
  return combine_(concat_columns({context, state}), Activation::kTanh);
}

Var InputFeeding::feed(const Var& embedding, const Var& last) const {
  const Var before = last ? last : Tensor::zeros({embedding.dim(0), out_});
  return concat_columns({embedding, before});
}

}  // namespace fovea
