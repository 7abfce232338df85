#include "fovea/attend/doubly_stochastic.h"

#include <algorithm>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/reduce.h"

namespace fovea {

Var doubly_stochastic_loss(const Weights& weights, const Segments& keys) {
  const Pairs& pairs = weights.pairs;
  const Var sums = pair_key_sums(weights.values, pairs, keys.total());
  const Var missing = shift(-sums, 1.0f);  // [N,H]
  const int shares = std::max(1, keys.count()) * pairs.heads();
  return scale(sum(missing * missing), 1.0f / static_cast<float>(shares));
}

}  // namespace fovea
