#include "fovea/attend/normaliser_entmax15.h"

#include "fovea/autograd/softmax.h"

namespace fovea {
namespace {

class Entmax15 : public Normaliser {
 public:
  Var weights(const Var& scores, const Pairs& pairs) const override {
    return entmax15(scores, pairs.segments());
  }
};

}  // namespace

std::unique_ptr<Normaliser> make_entmax15(const PartContext&) {
  return std::make_unique<Entmax15>();
}

}  // namespace fovea
