#include "fovea/layers/cell.h"

#include "fovea/base/check.h"

namespace fovea {
namespace {

using kernels::GruReset;
using kernels::GruUpdate;
using kernels::GruVariant;

int gates_of(CellKind kind) {
  switch (kind) {
    case CellKind::kRnn:
      return 1;
    case CellKind::kLstm:
      return 4;
    default:
      return 3;
  }
}

GruVariant variant_of(CellKind kind) {
  return kind == CellKind::kGruAfter
             ? GruVariant{GruReset::kAfter, GruUpdate::kKeepsOld}
             : GruVariant{GruReset::kBefore, GruUpdate::kTakesNew};
}

bool is_gru(CellKind kind) {
  return kind == CellKind::kGru || kind == CellKind::kGruAfter;
}

}  // namespace

Cell::Cell(const CellConfig& config, RandomKey key) : kind_(config.kind) {
  check_usage(config.in >= 1 && config.width >= 1, "a cell of width ",
              config.width, " with ", config.in, " inputs: give at least 1");
  const int gates = gates_of(kind_);
  const int64_t d = config.width;
  input = Var::parameter(
      input_init(config.init, gates, d, config.in, key.with("input")));
  recurrent = Var::parameter(
      recurrent_init(config.init, gates, d, key.with("recurrent")));
  bias = Var::parameter(Tensor::zeros({gates * d}));
  if (kind_ == CellKind::kLstm) {  // i, f, o, g
    bias.value().reshaped({4, d}).row_range(1, 2).fill(config.forget_bias);
  }
  if (kind_ == CellKind::kGruAfter) {
    inner_bias = Var::parameter(Tensor::zeros({d}));
  }
}

RecurrentWeights Cell::weights() const {
  return {.input = input,
          .recurrent = recurrent,
          .bias = bias,
          .inner_bias = inner_bias,
          .packed = packed_ ? packed_.get()
                    : loop_ ? &loop_->forward
                            : nullptr,
          .loop = loop_};
}

RecurrentStates Cell::operator()(const RecurrentInput& in) const {
  switch (kind_) {
    case CellKind::kRnn:
      return elman(in, weights());
    case CellKind::kLstm:
      return lstm(in, weights());
    default:
      return gru(in, weights(), variant_of(kind_));
  }
}

Cell Cell::looped() const {
  Cell copy = *this;
  if (packed_ && !recording({input, recurrent})) return copy;
  copy.loop_ = is_gru(kind_) ? loop_gru(weights(), variant_of(kind_).reset)
                             : loop_recurrent(weights());
  return copy;
}

void Cell::params(Params& p) {
  p("input", input);
  p("recurrent", recurrent);
  p("bias", bias);
  p("inner_bias", inner_bias);
  const auto pack = [this](Precision precision) {
    const Tensor &w = input.value(), &u = recurrent.value();
    packed_ = std::make_shared<PackedRecurrent>(
        is_gru(kind_) ? pack_gru(w, u, variant_of(kind_).reset, precision)
                      : pack_recurrent(w, u, precision));
  };
  p.packing({pack, [this] { packed_.reset(); }}, {input, recurrent});
}

}  // namespace fovea
