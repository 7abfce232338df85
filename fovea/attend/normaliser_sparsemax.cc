#include "fovea/attend/normaliser_sparsemax.h"

#include "fovea/autograd/softmax.h"

namespace fovea {
namespace {

class Sparsemax : public Normaliser {
 public:
  Var weights(const Var& scores, const Pairs& pairs) const override {
    return sparsemax(scores, pairs.segments());
  }
};

}  // namespace

std::unique_ptr<Normaliser> make_sparsemax(const PartContext&) {
  return std::make_unique<Sparsemax>();
}

}  // namespace fovea
