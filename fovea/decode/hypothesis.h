#pragma once

#include <vector>

namespace fovea {

// What a search has found for one source sentence.
struct Hypothesis {
  std::vector<int> ids = {};  // without the end mark
  float log_probability = 0;  // of the words, and of the end mark if finished
  float score = 0;            // by which hypotheses are ranked
  bool finished = false;      // false: cut off at the longest length
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
