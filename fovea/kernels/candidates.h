#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace fovea::kernels {

// The k largest of the numbers offered so far and some others, by rising index.
// Numbers are offered by rising index, so that of equal ones the first stays;
// minus infinity and NaN are never kept. Now and then the k largest are sorted
// out, which costs less a number than to keep them in order. What is kept
// depends on the numbers alone. Its memory belongs to the caller.
class Candidates {
 public:
  static constexpr size_t room(int k) { return 4 * size_t(k) + 32; }

  // `memory` has room(k).
  Candidates(int k, int32_t* memory)
      : k_(k), most_(2 * k + 16), order_(memory), index_(memory + most_) {}

  // What a new one must exceed.
  float threshold() const { return threshold_; }
  bool full() const { return true; }  // for scan(): the threshold always holds
  void offer(float value, int index) {
    if (!(value > threshold_)) return;
    order_[size_] = order_of(value);
    index_[size_] = index;
    if (++size_ == most_) shrink();
  }

  // Leaves the k largest, or fewer if fewer came; returns how many.
  int finish() {
    if (size_ > k_) shrink();
    return size_;
  }
  float value(int i) const { return value_of(order_[i]); }
  int index(int i) const { return index_[i]; }

 private:
  // Integers in the order of floats; both zeros are one.
  static int32_t order_of(float x) {
    const auto bits = std::bit_cast<int32_t>(x + 0.0f);
    return bits ^ ((bits >> 31) & 0x7fffffff);
  }
  static float value_of(int32_t order) {
    return std::bit_cast<float>(order ^ ((order >> 31) & 0x7fffffff));
  }

  int count_from(int32_t least) const {
    int count = 0;
    for (int i = 0; i < size_; ++i) count += order_[i] >= least;
    return count;
  }

  // A number that k of ours reach, and fewer than k exceed: by halving.
  int32_t split() const {
    const auto [low, high] = std::minmax_element(order_, order_ + size_);
    int64_t from = *low, to = int64_t{*high} + 1;
    while (to - from > 1) {
      const auto middle = static_cast<int32_t>((from + to) >> 1);
      const int count = count_from(middle);
      if (count == k_) return middle;
      (count > k_ ? from : to) = middle;
    }
    return static_cast<int32_t>(from);
  }

  void shrink() {
    const int32_t least = split();
    int equal = k_;  // of those that equal it, how many find a place
    for (int i = 0; i < size_; ++i) equal -= order_[i] > least;
    int kept = 0;
    for (int i = 0; i < size_; ++i) {
      const bool same = order_[i] == least;
      const bool keep = order_[i] > least || (same && equal > 0);
      equal -= same;
      order_[kept] = order_[i];
      index_[kept] = index_[i];
      kept += keep;
    }
    size_ = kept;
    threshold_ = value_of(least);
  }

  int k_, most_, size_ = 0;
  float threshold_ = -std::numeric_limits<float>::infinity();
  int32_t *order_, *index_;
};

}  // namespace fovea::kernels
