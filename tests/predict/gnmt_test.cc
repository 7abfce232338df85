#include "fovea/predict/gnmt.h"

#include <gtest/gtest.h>

#include "fovea/attend/registry.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/predict/step_attention.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/decoder_case.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

constexpr int kWidth = 6;

DecoderCase gnmt_case(int layers) {
  DecoderCase c{.attend = {.score = "additive",
                           .value_proj = false,
                           .out_proj = false,
                           .options = {"normalise=true"}}};
  c.encoder.cell = c.decoder.cell = CellKind::kLstm;
  c.encoder.layers = layers;
  c.encoder.width = kWidth;
  c.encoder.bottom_only = true;
  c.decoder.kind = "gnmt";
  c.decoder.layers = layers;
  return c;
}

// A layer of its own with the parameters that the decoder has by this name.
template <class Layer>
void copy_to(Layer& layer, SequencePredictor& from, const std::string& name) {
  const Params own(layer), all(from);
  for (const Params::Parameter& p : own.parameters()) {
    for (const Params::Parameter& q : all.parameters()) {
      if (q.name == name + "." + p.name) *p.value = *q.value;
    }
  }
}

Cell cell_of(SequencePredictor& decoder, int in, const std::string& name) {
  Cell cell({.kind = CellKind::kLstm, .in = in, .width = kWidth}, RandomKey(1));
  copy_to(cell, decoder, name);
  return cell;
}

// The decoder of SPEC D6 written down for one sentence, word by word.
Var by_hand(TinyModel& model, const DecoderCase& c) {
  SequencePredictor& decoder = *model.decoder;
  const auto attention =
      make_attention(c.attend, {.query = kWidth, .key = kWidth}, RandomKey(1));
  copy_to(*attention, decoder, "attend");
  const Encoded source =
      (*model.encoder)(c.source_rows(), c.source_segments(), {});
  const Memory memory =
      attention->remember({.keys = source.states, .of = source.of}, {});
  const Cell bottom = cell_of(decoder, c.words + kWidth, "bottom.layer.0");
  const Cell top = cell_of(decoder, 2 * kWidth, "upper.layer.0");
  // The bottom layer's backward state and the next one's own, as they are.
  std::vector<CellState> state = {{source.last[0], source.cells[0]},
                                  {source.last[1], source.cells[1]}};
  Var context = Tensor::zeros({1, kWidth});
  std::vector<Var> hidden;
  for (int t = 0; t < c.target[0]; ++t) {
    const Var word = slice_rows(c.target_rows(), t, t + 1);
    const RecurrentStates low = bottom({.x = concat_columns({word, context}),
                                        .of = single_rows(1),
                                        .h0 = state[0].h,
                                        .c0 = state[0].c});
    const Var next =
        attention
            ->attend({.rows = low.states, .of = single_rows(1)}, memory, {}, {})
            .context;
    const Var& used = c.decoder.new_context ? next : context;
    const RecurrentStates high = top({.x = concat_columns({low.states, used}),
                                      .of = single_rows(1),
                                      .h0 = state[1].h,
                                      .c0 = state[1].c});
    state = {{low.last, low.last_cell}, {high.last, high.last_cell}};
    context = next;
    hidden.push_back(c.decoder.residual_from == 2 ? high.states + low.states
                                                  : high.states);
  }
  return concat_rows(hidden);
}

// SPEC D6: without residuals a stack of LSTM layers with A5.
TEST(Gnmt, IsAStackWhoseBottomLayerAsksAndWhoseLayersAllGetTheContext) {
  for (bool new_context : {false, true}) {
    for (int residual_from : {0, 2}) {
      DecoderCase c = gnmt_case(2);
      c.source = {4};
      c.target = {5};
      c.decoder.new_context = new_context;
      c.decoder.residual_from = residual_from;
      TinyModel model(c);
      EXPECT_TRUE(close(
          std::span<const float>(model.forced(c).hidden.value().span()),
          std::span<const float>(by_hand(model, c).value().span()), 1e-5));
    }
  }
}

TEST(Gnmt, RefusesAResidualAtTheBottom) {
  DecoderCase c = gnmt_case(2);
  c.decoder.residual_from = 1;
  EXPECT_THROW(TinyModel model(c), Error);
}

}  // namespace
}  // namespace fovea
