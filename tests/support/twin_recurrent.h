#pragma once

#include <vector>

#include "support/gradients.h"

namespace fovea::testing {

// Recurrent cells in double precision, one sequence, one step and one number at
// a time (SPEC D2). Inputs, in this order: x [N,in], W [G*D,in], U [G*D,D],
// b [G*D], b' [D] (GRU, reset after), h0 [B,D], c0 [B,D] (LSTM).
struct TwinRecurrent {
  enum Cell { kElman, kLstm, kGru };

  Cell cell = kElman;
  int in = 1;
  int width = 1;
  std::vector<int> lengths;
  bool reverse = false;
  bool reset_after = false;
  bool keeps_old = false;  // h' = z h + (1 - z) n

  int gates() const { return cell == kLstm ? 4 : cell == kGru ? 3 : 1; }
  int tokens() const;
  int sequences() const { return static_cast<int>(lengths.size()); }
  // How many numbers each input has.
  std::vector<int> sizes() const;

  // States [N,D], then the last h [B,D], then the last c [B,D] (LSTM).
  Doubles forward(const std::vector<Doubles>& inputs) const;
  std::vector<Doubles> gradient(const std::vector<Doubles>& inputs,
                                const Doubles& dy) const;
};

}  // namespace fovea::testing
