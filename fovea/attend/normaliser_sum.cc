#include "fovea/attend/normaliser_sum.h"

#include "fovea/autograd/softmax.h"

namespace fovea {
namespace {

class Sum : public Normaliser {
 public:
  Var weights(const Var& scores, const Pairs& pairs) const override {
    // Of logarithms the same, and no similarity is too small or too large.
    return softmax(scores, pairs.segments());
  }
  bool takes(ScoreKind kind) const override {
    return kind == ScoreKind::kLogSimilarity;
  }
};

}  // namespace

std::unique_ptr<Normaliser> make_sum(const PartContext&) {
  return std::make_unique<Sum>();
}

}  // namespace fovea
