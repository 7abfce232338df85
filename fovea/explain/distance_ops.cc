#include "fovea/explain/distance_ops.h"

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/reduce.h"

namespace fovea {
namespace {

Var safe_log(const Var& x) { return log(shift(x, 1e-10f)); }

}  // namespace

Var kl_sum(const Var& p, const Var& q) {
  return sum(p * (safe_log(p) - safe_log(q)));
}

Var js_sum(const Var& p, const Var& q) {
  const Var mean = safe_log(0.5f * (p + q));
  return 0.5f * sum(p * (safe_log(p) - mean) + q * (safe_log(q) - mean));
}

Var absolute(const Var& x) { return relu(x) + relu(-x); }

}  // namespace fovea
