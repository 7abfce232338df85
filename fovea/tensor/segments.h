#pragma once

#include <memory>
#include <span>
#include <vector>

namespace fovea {

// Where each sequence of a ragged batch starts. All tokens lie one after
// another; sequence b is rows begin(b) to end(b). Immutable; copies share.
class Segments {
 public:
  Segments();  // no sequence
  static Segments from_lengths(std::span<const int> lengths);
  // Begins with 0, never falls; the last one is the number of rows.
  static Segments from_offsets(std::vector<int> offsets);

  int count() const { return static_cast<int>(offsets_->size()) - 1; }
  int total() const { return offsets_->back(); }
  int begin(int b) const { return (*offsets_)[b]; }
  int end(int b) const { return (*offsets_)[b + 1]; }
  int length(int b) const { return end(b) - begin(b); }
  int longest() const;
  std::span<const int> offsets() const { return *offsets_; }  // count() + 1

  friend bool operator==(const Segments& a, const Segments& b) {
    return *a.offsets_ == *b.offsets_;
  }

 private:
  explicit Segments(std::vector<int> offsets);
  std::shared_ptr<const std::vector<int>> offsets_;
};

// Tokens of a ragged batch.
struct Ids {
  std::vector<int> ids;
  Segments of;
};

}  // namespace fovea
