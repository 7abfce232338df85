#include "fovea/attend/score_uniform.h"

namespace fovea {
namespace {

class UniformScore : public Score {
 public:
  bool projects() const override { return true; }
  Var score(const Var&, const Var&, const Pairs& pairs,
            const Var&) const override {
    return Tensor::zeros({pairs.size()});
  }
};

}  // namespace

std::unique_ptr<Score> make_uniform_score(const PartContext&) {
  return std::make_unique<UniformScore>();
}

}  // namespace fovea
