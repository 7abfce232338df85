#pragma once

#include <memory>

#include "fovea/attend/attention.h"
#include "fovea/autograd/lstmn.h"
#include "fovea/base/fields.h"
#include "fovea/layers/linear.h"

namespace fovea {

struct LstmnConfig {
  int width = 450;
  int hidden = 0;       // 0: as wide as the state
  bool summary = true;  // the released code's encoder has none
  bool fusion = false;

  void fields(auto&& field) {
    field("width", width, "of states and cells");
    field("hidden", hidden, "width of the scores; 0: as wide as the state");
    field("summary", summary, "scores know the summary of the step before");
    field("fusion", fusion, "another sequence is fused into the cells");
  }
};

// What an attention over another sequence's states and cells summed up for each
// row, for deep fusion.
struct InterSummary {
  Var states, cells;  // [N,D]
};

// One row of an input with its past, or many.
struct LstmnReading {
  Var states, cells;  // [N,D]
  Weights weights;    // differentiable; see LstmnStates for its slots
};

// Reads words one by one and attends at each to all states before it (Cheng,
// Dong and Lapata 2016, SPEC B13): kernels/lstmn.h has the formulas. With
// fusion, sigmoid(W [gamma; x]) * alpha is added to the cells, where (gamma,
// alpha) is the summary of another sequence.
//
// Records show a lower triangle for each sequence. Its first column is the
// empty slot, column j the row j - 1.
class Lstmn {
 public:
  Lstmn(const LstmnConfig& config, int in, RandomKey key);

  // Whole sequences. `inter` is for fusion.
  LstmnReading operator()(const Var& x, const Segments& of, const Pass& pass,
                          const InterSummary& inter = {}) const;

  // The same step by step, in inference.
  LstmnTape start(int sequences) const;
  LstmnReading extend(LstmnTape& tape, const Var& x, const Segments& of,
                      const Pass& pass, const InterSummary& inter = {}) const;

  void params(Params& p);

 private:
  LstmnWeights weights() const;
  LstmnInput input(const Var& x, const Segments& of,
                   const InterSummary& inter) const;

  LstmnConfig config_;
  int scored_;
  Var input_, recurrent_, bias_;  // of the gates
  Var key_, query_, summary_, v_;
  Linear fusion_;
  std::shared_ptr<const PackedLstmn> packed_;
};

}  // namespace fovea
