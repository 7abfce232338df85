#pragma once

#include <vector>

#include "fovea/autograd/var.h"
#include "fovea/tensor/segments.h"

namespace fovea {

// What an encoder makes of a batch of sequences, for whoever attends to it.
struct Encoded {
  Var states;  // [N,D]
  Segments of;
  Var embedded = {};  // [N,E], what the encoder was given
  // Of recurrent encoders, from the bottom layer to the top one: the states
  // with which a decoder begins, [B,D] each. `cells` is for LSTM only.
  std::vector<Var> last = {}, cells = {};
  // Of a bidirectional top layer: the backward state at the first row, [B,D/2].
  Var backward_first = {};
};

// The widths of the same, for whoever reads it.
struct EncodedWidths {
  int states = 0;
  std::vector<int> last = {};
  bool cells = false;
  int backward_first = 0;
};

}  // namespace fovea
