#pragma once

#include <span>
#include <vector>

#include "fovea/layers/cell.h"
#include "fovea/layers/pass.h"

namespace fovea {

struct StackConfig {
  CellConfig cell;  // of the first layer
  int layers = 1;
  int context = 0;        // width of a second input of every layer; 0: none
  float dropout = 0.0f;   // of what a layer reads from another one
  int residual_from = 0;  // first layer (from 1) with a residual; 0: none
  int below = 0;          // layers of the model that lie below the stack
};

// Cells one above the other (SPEC D2, D5, D6). From a layer on the sum of a
// layer's input and its states may be what the next one reads. Runs whole
// sequences or, with sequences of one row, a step.
class RecurrentStack {
 public:
  RecurrentStack() = default;
  RecurrentStack(const StackConfig& config, RandomKey key);

  struct Reading {
    Var states;                   // [N,D], of the top
    std::vector<CellState> last;  // of each layer
  };
  // x [N,in]; `first` has a state for each layer. `context` [N,context] joins
  // what each layer reads.
  Reading operator()(const Var& x, const Segments& of,
                     std::span<const CellState> first, const Pass& pass,
                     const Var& context = {}) const;
  // The same for the steps of one loop: see RecurrentLoop.
  RecurrentStack looped() const;

  int layers() const { return static_cast<int>(cells_.size()); }
  bool has_cells() const { return layers() > 0 && cells_[0].has_cells(); }
  void params(Params& p);

 private:
  StackConfig config_;
  std::vector<Cell> cells_;
  std::vector<bool> residual_;  // of each layer
};

// Whether the layer of this index, from 0, has a residual connection; throws if
// it should but reads rows of another width than its own.
bool has_residual(int residual_from, int layer, int in, int width);

// States of all layers one after another, h and then c of each, and back.
std::vector<Var> flat(std::span<const CellState> states);
std::vector<CellState> by_layers(std::span<const Var> rows, int layers,
                                 bool cells);

}  // namespace fovea
