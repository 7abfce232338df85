#include "fovea/data/symmetric_aligner.h"

namespace fovea {

SymmetricAligner SymmetricAligner::train(const Sentences& source,
                                         const Sentences& target,
                                         const AlignerConfig& config,
                                         Symmetry how) {
  return {WordAligner::train(source, target, config),
          WordAligner::train(target, source, config), how};
}

WordLinks SymmetricAligner::align(std::span<const int> source,
                                  std::span<const int> target) const {
  return symmetrise(forward_.align(source, target),
                    swapped(backward_.align(target, source)), how_);
}

}  // namespace fovea
