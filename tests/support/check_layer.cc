#include "support/check_layer.h"

#include "support/random.h"

namespace fovea::testing {

void randomise(const Params& params, uint64_t seed, float scale) {
  for (const Params::Parameter& p : params.parameters()) {
    *p.value = Var::parameter(random_tensor(p.value->shape(), ++seed, scale));
  }
}

void check_layer(const Params& params, const Op& run, const Twin& twin,
                 std::vector<Tensor> inputs, double tolerance, double floor) {
  randomise(params, 500);
  const size_t first = inputs.size();
  for (const Params::Parameter& p : params.parameters()) {
    inputs.push_back(p.value->value());
  }
  const Op op = [&](const std::vector<Var>& all) {
    for (size_t i = first; i < all.size(); ++i) {
      *params.parameters()[i - first].value = all[i];
    }
    return run(all);
  };
  check_op(op, twin, inputs, tolerance, floor);
}

}  // namespace fovea::testing
