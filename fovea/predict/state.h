#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fovea/attend/attention.h"

namespace fovea {

// Where a decoder is, one hypothesis beside another: all that its next step
// needs. A value: each predictor fills in the parts that it uses. Copies share
// their caches, so only one of them may be stepped or changed.
struct State {
  std::vector<Var> rows;       // [B,...] each: recurrent states, windows
  std::vector<Memory> caches;  // of self-attention; sequence b each
  std::vector<Carry> carries;  // of attention over the source
  std::vector<int> source;     // the source sentence of each hypothesis
  std::vector<int> position;   // how many words each has read
  // The source as each attention remembers it, shared by all hypotheses.
  std::shared_ptr<const std::vector<Memory>> memories;

  int count() const { return static_cast<int>(source.size()); }
  // Hypotheses in another order; some may go, others come twice.
  void keep(std::span<const int> parents);
};

}  // namespace fovea
