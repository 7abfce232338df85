#include "fovea/data/symmetric_aligner.h"

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

constexpr int64_t kPairsOfThread = 256;  // at least

}  // namespace

SymmetricAligner SymmetricAligner::train(
    const Sentences& source, const Sentences& target,
    const SymmetricAlignerConfig& config,
    const std::function<void(const AlignerStep&)>& after) {
  check_usage(config.hmm_iterations >= 0,
              "aligner: iterations cannot be below 0");
  SymmetricAligner result(config.how);
  if (config.hmm_iterations > 0) {
    result.agreeing_ = AgreeingAligner::train(source, target, config.aligner,
                                              config.hmm_iterations, after);
    return result;
  }
  if (config.how != Symmetry::kBackward) {
    result.forward_ = WordAligner::train(source, target, config.aligner, after);
  }
  if (config.how != Symmetry::kForward) {
    result.backward_ =
        WordAligner::train(target, source, config.aligner, after);
  }
  return result;
}

WordLinks SymmetricAligner::align(std::span<const int> source,
                                  std::span<const int> target) const {
  if (agreeing_) {
    const auto [ahead, back] = agreeing_->align(source, target);
    return symmetrise(ahead, back, how_);
  }
  WordLinks ahead, back;
  if (forward_) ahead = forward_->align(source, target);
  if (backward_) back = swapped(backward_->align(target, source));
  return symmetrise(ahead, back, how_);
}

std::vector<WordLinks> SymmetricAligner::align_all(const Sentences& source,
                                                   const Sentences& target,
                                                   int64_t count) const {
  check(count <= source.size() && count <= target.size(), "aligner: ", count,
        " pairs of ", source.size(), " and ", target.size(), " sentences");
  std::vector<WordLinks> links(count);
  parallel_for(count, kPairsOfThread, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      links[i] = align(source[i], target[i]);
    }
  });
  return links;
}

int rounds_of(const SymmetricAlignerConfig& config) {
  const bool one =
      config.hmm_iterations == 0 &&
      (config.how == Symmetry::kForward || config.how == Symmetry::kBackward);
  const int of_one =
      config.aligner.ibm1_iterations + config.aligner.diagonal_iterations;
  return (one ? of_one : 2 * of_one) + config.hmm_iterations;
}

}  // namespace fovea
