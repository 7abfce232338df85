#pragma once

#include <memory>

#include "fovea/autograd/recurrent.h"
#include "fovea/base/fields.h"
#include "fovea/base/rng.h"
#include "fovea/layers/init.h"
#include "fovea/layers/params.h"

namespace fovea {

// SPEC D2.
enum class CellKind {
  kRnn,
  kGru,       // reset before, h' = (1 - z) h + z n: Bahdanau et al. 2015
  kGruAfter,  // reset after, h' = z h + (1 - z) n: cuDNN and PyTorch
  kLstm,
};
constexpr EnumName<CellKind> kCellKinds[] = {{CellKind::kRnn, "rnn"},
                                             {CellKind::kGru, "gru"},
                                             {CellKind::kGruAfter, "gru_after"},
                                             {CellKind::kLstm, "lstm"}};
constexpr auto& enum_names(CellKind) { return kCellKinds; }

struct CellConfig {
  CellKind kind = CellKind::kGru;
  int in = 0, width = 0;
  float forget_bias = 0.0f;  // of an LSTM, at first
  RecurrentInit init = RecurrentInit::kXavier;
};

// Where a cell is: `c` is of an LSTM only.
struct CellState {
  Var h, c;  // [B,D]
};

// A recurrent cell over whole sequences or step by step.
class Cell {
 public:
  Cell() = default;
  // Each gate has a recurrent matrix, and an input matrix, of its own.
  Cell(const CellConfig& config, RandomKey key);

  RecurrentStates operator()(const RecurrentInput& in) const;
  // The same cell for the steps of one loop: see RecurrentLoop.
  Cell looped() const;
  bool has_cells() const { return kind_ == CellKind::kLstm; }
  int width() const { return static_cast<int>(recurrent.dim(1)); }
  void params(Params& p);

  Var input, recurrent, bias;  // for initialisations of their own
  Var inner_bias;              // of kGruAfter only

 private:
  RecurrentWeights weights() const;

  CellKind kind_ = CellKind::kGru;
  std::shared_ptr<const PackedRecurrent> packed_;
  std::shared_ptr<const RecurrentLoop> loop_;
};

}  // namespace fovea
