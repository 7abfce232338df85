#include "fovea/layers/recurrent_stack.h"

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/layers/dropout.h"

namespace fovea {

RecurrentStack::RecurrentStack(const StackConfig& config, RandomKey key)
    : config_(config) {
  check_usage(config.layers >= 0, "layers is ", config.layers,
              ": give 0 or more");
  CellConfig cell = config.cell;
  for (int i = 0; i < config.layers; ++i) {
    residual_.push_back(has_residual(config.residual_from, config.below + i,
                                     cell.in, cell.width));
    CellConfig wider = cell;
    wider.in += config.context;
    cells_.emplace_back(wider, key.with("layer").with(i));
    cell.in = cell.width;
  }
}

RecurrentStack::Reading RecurrentStack::operator()(
    const Var& x, const Segments& of, std::span<const CellState> first,
    const Pass& pass, const Var& context) const {
  check(std::ssize(first) == layers(), "recurrent: ", first.size(),
        " first states for ", layers(), " layers");
  Reading reading{x, {}};
  for (int i = 0; i < layers(); ++i) {
    const Var below = reading.states;
    const Pass in_layer = pass.in("layer", i);
    const bool drops = i + config_.below > 0;
    const Var read = drops ? drop(below, config_.dropout, in_layer) : below;
    const RecurrentStates states =
        cells_[i]({.x = context ? concat_columns({read, context}) : read,
                   .of = of,
                   .h0 = first[i].h,
                   .c0 = first[i].c});
    reading.states = residual_[i] ? states.states + below : states.states;
    reading.last.push_back({states.last, states.last_cell});
  }
  return reading;
}

RecurrentStack RecurrentStack::looped() const {
  RecurrentStack copy = *this;
  for (Cell& cell : copy.cells_) cell = cell.looped();
  return copy;
}

void RecurrentStack::params(Params& p) {
  for (int i = 0; i < layers(); ++i) p(join("layer.", i), cells_[i]);
}

bool has_residual(int residual_from, int layer, int in, int width) {
  check_usage(residual_from >= 0, "residual-from is ", residual_from,
              ": give 0 or more");
  if (residual_from == 0 || layer + 1 < residual_from) return false;
  check_usage(in == width, "residual-from is ", residual_from, ", but layer ",
              layer + 1, " reads rows of width ", in, " and gives ", width);
  return true;
}

std::vector<Var> flat(std::span<const CellState> states) {
  std::vector<Var> rows;
  for (const CellState& state : states) {
    rows.push_back(state.h);
    if (state.c) rows.push_back(state.c);
  }
  return rows;
}

std::vector<CellState> by_layers(std::span<const Var> rows, int layers,
                                 bool cells) {
  const int each = cells ? 2 : 1;
  check(std::ssize(rows) >= layers * each, "recurrent: ", rows.size(),
        " rows for the states of ", layers, " layers");
  std::vector<CellState> states;
  for (int i = 0; i < layers; ++i) {
    states.push_back({rows[i * each], cells ? rows[i * each + 1] : Var()});
  }
  return states;
}

}  // namespace fovea
