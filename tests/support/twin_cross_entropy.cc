#include "support/twin_cross_entropy.h"

#include <algorithm>
#include <cmath>

namespace fovea::testing {
namespace {

Doubles softmax(std::span<const double> x) {
  const double max = *std::max_element(x.begin(), x.end());
  Doubles p;
  double sum = 0;
  for (double v : x) {
    p.push_back(std::exp(v - max));
    sum += p.back();
  }
  for (double& v : p) v /= sum;
  return p;
}

}  // namespace

Doubles twin_smoothed_target(int classes, int target, TwinSmoothing smoothing) {
  const double share = smoothing.all_classes ? smoothing.eps / classes
                                             : smoothing.eps / (classes - 1);
  Doubles q(classes, share);
  q[target] = 1 - smoothing.eps + (smoothing.all_classes ? share : 0);
  return q;
}

Doubles twin_cross_entropy(const Doubles& logits, int classes,
                           std::span<const int> targets,
                           TwinSmoothing smoothing) {
  Doubles loss(targets.size(), 0.0);
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] < 0) continue;
    const Doubles p = softmax(
        std::span(logits).subspan(i * classes, static_cast<size_t>(classes)));
    const Doubles q = twin_smoothed_target(classes, targets[i], smoothing);
    for (int c = 0; c < classes; ++c) {
      if (q[c] > 0) loss[i] -= q[c] * std::log(p[c]);
    }
  }
  return loss;
}

Doubles twin_cross_entropy_gradient(const Doubles& logits, int classes,
                                    std::span<const int> targets,
                                    TwinSmoothing smoothing,
                                    const Doubles& dy) {
  Doubles dx(logits.size(), 0.0);
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] < 0) continue;
    const Doubles p = softmax(
        std::span(logits).subspan(i * classes, static_cast<size_t>(classes)));
    const Doubles q = twin_smoothed_target(classes, targets[i], smoothing);
    for (int c = 0; c < classes; ++c) {
      dx[i * classes + c] = dy[i] * (p[c] - q[c]);
    }
  }
  return dx;
}

}  // namespace fovea::testing
