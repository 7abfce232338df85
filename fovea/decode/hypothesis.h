#pragma once

#include <cstdint>
#include <vector>

namespace fovea {

// What a search has found for one source sentence.
struct Hypothesis {
  std::vector<int> ids = {};  // without the end mark
  // Of each word and, if finished, of the end mark.
  std::vector<float> log_probabilities = {};
  float log_probability = 0;  // their sum
  float score = 0;            // by which hypotheses are ranked
  bool finished = false;      // false: cut off at the longest length
  // Attention over the source, if asked for: a row for each word and, if
  // finished, for the end mark. Empty if the model has none.
  std::vector<float> weights = {};

  // Words, and the end mark if finished.
  int length() const { return static_cast<int>(ids.size()) + finished; }
};

// How long a translation may get.
struct LengthLimit {
  int most = 0;    // words at most; 0: by the source's length
  int extra = 50;  // that many words more than the source has, end marks apart

  int of(int source_length) const {
    return most > 0 ? most : source_length + extra;
  }
};

}  // namespace fovea
