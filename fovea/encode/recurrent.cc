#include "fovea/encode/recurrent.h"

#include <vector>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/layers/dropout.h"
#include "fovea/layers/recurrent_stack.h"

namespace fovea {
namespace {

struct Layer {
  Cell forward, backward;  // the second, if it reads both ways
  bool both = false, residual = false;

  void params(Params& p) {
    p("forward", forward);
    if (both) p("backward", backward);
  }
};

class RecurrentEncoder : public Encoder {
 public:
  RecurrentEncoder(const EncoderConfig& config, int in, RandomKey key)
      : config_(config) {
    for (int i = 0; i < config.layers; ++i) {
      layers_.push_back(make_layer(i, in, key.with("layer").with(i)));
      in = out_width(layers_.back());
    }
  }

  Encoded operator()(const Var& x, const Segments& of,
                     const Pass& pass) const override {
    Encoded encoded{.states = x, .of = of, .embedded = x};
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Pass in_layer = pass.in("layer", static_cast<int>(i));
      const Var below = encoded.states;
      const Var read = i > 0 ? drop(below, config_.dropout, in_layer) : below;
      run(layers_[i], read, encoded);
      if (layers_[i].residual) encoded.states = encoded.states + below;
    }
    return encoded;
  }

  int width() const override { return out_width(layers_.back()); }

  EncodedWidths widths() const override {
    EncodedWidths widths{.states = width()};
    widths.last.assign(layers_.size(), config_.width);
    widths.cells = layers_[0].forward.has_cells();
    if (layers_.back().both) widths.backward_first = one_way(true);
    return widths;
  }

  void params(Params& p) override {
    for (size_t i = 0; i < layers_.size(); ++i) {
      p(join("layer.", i), layers_[i]);
    }
  }

 private:
  // Of one direction of a layer.
  int one_way(bool both) const {
    return both && !config_.bottom_only ? config_.width / 2 : config_.width;
  }
  int out_width(const Layer& layer) const {
    return one_way(layer.both) * (layer.both ? 2 : 1);
  }

  Layer make_layer(int i, int in, RandomKey key) const {
    Layer layer;
    layer.both = config_.bidirectional && (i == 0 || !config_.bottom_only);
    layer.residual = has_residual(config_.residual_from, i, in, config_.width);
    const CellConfig cell{.kind = config_.cell,
                          .in = in,
                          .width = one_way(layer.both),
                          .forget_bias = config_.forget_bias,
                          .init = config_.init};
    layer.forward = Cell(cell, key.with("forward"));
    if (layer.both) layer.backward = Cell(cell, key.with("backward"));
    return layer;
  }

  void run(const Layer& layer, const Var& x, Encoded& encoded) const {
    const bool reverse = !layer.both && config_.reverse;
    const RecurrentStates ahead =
        layer.forward({.x = x, .of = encoded.of, .reverse = reverse});
    encoded.states = ahead.states;
    encoded.backward_first = {};
    CellState last{ahead.last, ahead.last_cell};
    if (layer.both) {
      const RecurrentStates back =
          layer.backward({.x = x, .of = encoded.of, .reverse = true});
      encoded.states = concat_columns({ahead.states, back.states});
      encoded.backward_first = back.last;
      last = joined(last, {back.last, back.last_cell});
    }
    encoded.last.push_back(last.h);
    if (last.c) encoded.cells.push_back(last.c);
  }

  // With which a decoder begins.
  CellState joined(const CellState& ahead, const CellState& back) const {
    if (config_.bottom_only) return back;
    CellState both{concat_columns({ahead.h, back.h}), {}};
    if (ahead.c) both.c = concat_columns({ahead.c, back.c});
    return both;
  }

  EncoderConfig config_;
  std::vector<Layer> layers_;
};

}  // namespace

std::unique_ptr<Encoder> make_recurrent_encoder(const EncoderConfig& config,
                                                int in, RandomKey key) {
  check_usage(config.layers >= 1, "encode.layers is ", config.layers,
              ": give at least 1");
  check_usage(config.width >= 1, "encode.width is ", config.width,
              ": give at least 1");
  const bool halves = config.bidirectional && !config.bottom_only;
  check_usage(!halves || config.width % 2 == 0, "encode.width is ",
              config.width, ": two directions need an even number");
  check_usage(config.bidirectional || !config.bottom_only,
              "encode.bottom-only needs encode.bidirectional");
  check_usage(!config.reverse || !config.bidirectional || config.bottom_only,
              "encode.reverse and encode.bidirectional do not go together: "
              "both ends are read already");
  return std::make_unique<RecurrentEncoder>(config, in, key);
}

}  // namespace fovea
