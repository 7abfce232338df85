#include "fovea/attend/normaliser_softmax.h"

#include "fovea/autograd/softmax.h"

namespace fovea {
namespace {

class Softmax : public Normaliser {
 public:
  Var weights(const Var& scores, const Pairs& pairs) const override {
    return softmax(scores, pairs.segments());
  }
  bool is_softmax() const override { return true; }
};

}  // namespace

std::unique_ptr<Normaliser> make_softmax(const PartContext&) {
  return std::make_unique<Softmax>();
}

}  // namespace fovea
