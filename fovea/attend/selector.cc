#include "fovea/attend/selector.h"

#include "fovea/autograd/elementwise.h"

namespace fovea {

Var Selector::operator()(const Var& context, const Var& state) const {
  return scale_rows(context, gate_(state, Activation::kSigmoid));
}

}  // namespace fovea
