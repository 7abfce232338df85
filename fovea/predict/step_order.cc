#include "fovea/predict/step_order.h"

#include <algorithm>
#include <numeric>

namespace fovea {

StepOrder::StepOrder(const Segments& of)
    : sequences_(of.count()), begin_{0}, places_(of.total()) {
  std::iota(sequences_.begin(), sequences_.end(), 0);
  std::ranges::stable_sort(
      sequences_, [&](int a, int b) { return of.length(a) > of.length(b); });
  rows_.reserve(of.total());
  for (int t = 0; t < std::max(1, of.longest()); ++t) {
    for (int b : sequences_) {
      if (of.length(b) <= t) break;
      places_[of.begin(b) + t] = static_cast<int>(rows_.size());
      rows_.push_back(of.begin(b) + t);
    }
    begin_.push_back(static_cast<int>(rows_.size()));
  }
}

}  // namespace fovea
