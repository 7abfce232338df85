#pragma once

#include <vector>

#include "fovea/attend/encoded.h"
#include "fovea/layers/cell.h"
#include "fovea/layers/linear.h"

namespace fovea {

// What an encoder makes of a whole sequence, [B,D]: the last state of its top
// layer, or if its widths name none the mean of its states.
Var summary_of(const Encoded& encoded, const EncodedWidths& widths);
int summary_width(const EncodedWidths& widths);

// With which states the layers of a recurrent decoder begin.
class FirstState {
 public:
  enum class From {
    kLayers,    // the last states of the encoder's layers (SPEC D5, D6)
    kBackward,  // its backward state at the first row (SPEC D4)
    kSummary,   // summary_of() (SPEC D3)
  };
  struct Config {
    From from = From::kLayers;
    int layers = 1, width = 0;
    bool cells = false;
    RecurrentInit init = RecurrentInit::kXavier;
  };

  FirstState() = default;
  // States of the encoder's layers are taken as they are where they fit. All
  // others are h = tanh(W s), and the same without tanh for the cells of an
  // LSTM. What an encoder does not have is replaced by its summary.
  FirstState(const Config& config, const EncodedWidths& from, RandomKey key);

  std::vector<CellState> operator()(const Encoded& encoded) const;
  void params(Params& p);

 private:
  Var source(const Encoded& encoded, int layer, bool cell) const;

  Config config_;
  EncodedWidths widths_;
  std::vector<Linear> h_, c_;  // of each layer; none: as it is
};

}  // namespace fovea
