#include "fovea/attend/normaliser_sigmoid.h"

#include "fovea/autograd/elementwise.h"

namespace fovea {
namespace {

class Sigmoid : public Normaliser {
 public:
  Var weights(const Var& scores, const Pairs&) const override {
    return sigmoid(scores);
  }
};

}  // namespace

std::unique_ptr<Normaliser> make_sigmoid(const PartContext&) {
  return std::make_unique<Sigmoid>();
}

}  // namespace fovea
