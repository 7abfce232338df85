#pragma once

#include <vector>

#include "support/gradients.h"

namespace fovea::testing {

// LSTMN in double precision, one number at a time (SPEC B13). Inputs, in this
// order: x [N,in], W [4D,in], U [4D,D], b [4D]; unless the softmax is given W_h
// [A,D], W_x [A,in], W_r [A,D] (if there is a summary) and v [A]; what is added
// [N,D] (if something is); the softmax (if it is given).
struct TwinLstmn {
  int in = 1, width = 1, scored = 1;
  std::vector<int> lengths = {};
  bool summary = true, added = false, given = false;

  int tokens() const;
  int pairs() const;                                 // numbers of the softmax
  std::vector<std::vector<int64_t>> shapes() const;  // of the inputs
  // States [N,D], cells [N,D], softmax.
  Doubles forward(const std::vector<Doubles>& inputs) const;
};

}  // namespace fovea::testing
