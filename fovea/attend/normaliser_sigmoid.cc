#include "fovea/attend/normaliser_sigmoid.h"

#include <cmath>

#include "fovea/autograd/elementwise.h"

namespace fovea {
namespace {

// 1 where a score is not minus infinity. Our sigmoid never quite comes to 0.
Tensor visible(const Tensor& scores) {
  const Tensor mask(scores.shape());
  for (int64_t i = 0; i < mask.size(); ++i) {
    mask[i] = scores[i] == -INFINITY ? 0.0f : 1.0f;
  }
  return mask;
}

class Sigmoid : public Normaliser {
 public:
  Var weights(const Var& scores, const Pairs&) const override {
    return sigmoid(scores) * visible(scores.value());
  }
};

}  // namespace

std::unique_ptr<Normaliser> make_sigmoid(const PartContext&) {
  return std::make_unique<Sigmoid>();
}

}  // namespace fovea
