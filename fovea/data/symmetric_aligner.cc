#include "fovea/data/symmetric_aligner.h"

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

constexpr int64_t kPairsOfThread = 256;  // at least

}  // namespace

SymmetricAligner SymmetricAligner::train(
    const Sentences& source, const Sentences& target,
    const AlignerConfig& config, Symmetry how,
    const std::function<void(const AlignerStep&)>& after) {
  std::optional<WordAligner> forward, backward;
  if (how != Symmetry::kBackward) {
    forward = WordAligner::train(source, target, config, after);
  }
  if (how != Symmetry::kForward) {
    backward = WordAligner::train(target, source, config, after);
  }
  return {std::move(forward), std::move(backward), how};
}

WordLinks SymmetricAligner::align(std::span<const int> source,
                                  std::span<const int> target) const {
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

}  // namespace fovea
