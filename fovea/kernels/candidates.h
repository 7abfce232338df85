#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace fovea::kernels {

struct Candidate {
  float value;
  int index;

  // The larger one comes first, of equal ones the one of smaller index.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index);
  }
};

// The k largest of the numbers offered so far and some others, in no order.
// Numbers are offered by rising index; minus infinity and NaN are never kept.
// Now and then the k largest are sorted out, which costs less a number than to
// keep them in order. Its memory belongs to the caller.
class Candidates {
 public:
  static constexpr size_t room(int k) { return 2 * size_t(k) + 8; }

  // `items` has room(k).
  Candidates(int k, Candidate* items) : k_(k), items_(items) {}

  // What a new one must exceed.
  float threshold() const { return threshold_; }
  bool full() const { return true; }  // for scan(): the threshold always holds
  void offer(float value, int index) {
    if (!(value > threshold_)) return;
    items_[size_++] = {value, index};
    if (static_cast<size_t>(size_) == room(k_)) shrink();
  }

  // Leaves the k largest, or fewer if fewer came, by rising index; returns how
  // many.
  int finish() {
    if (size_ > k_) shrink();
    std::sort(items_, items_ + size_,
              [](const Candidate& a, const Candidate& b) {
                return a.index < b.index;
              });
    return size_;
  }

 private:
  void shrink() {
    std::nth_element(items_, items_ + k_ - 1, items_ + size_);
    size_ = k_;
    threshold_ = items_[k_ - 1].value;
  }

  int k_, size_ = 0;
  float threshold_ = -std::numeric_limits<float>::infinity();
  Candidate* items_;
};

}  // namespace fovea::kernels
