#include "fovea/predict/convolution.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/layers/dropout.h"
#include "fovea/layers/gated_convolution.h"
#include "fovea/predict/step_attention.h"

namespace fovea {
namespace {

struct Layer {
  GatedConvolution convolution;
  Linear to_query, from_context;
  std::unique_ptr<Composed> cross;

  void params(Params& p) {
    p("convolution", convolution);
    p("to_query", to_query);
    p("cross", *cross);
    p("from_context", from_context);
  }
};

Layer make_layer(const GatedConvolutionConfig& convolution,
                 const ComposedConfig& attend, const DecoderSizes& sizes,
                 RandomKey key) {
  const int width = convolution.size.width;
  auto cross = std::make_unique<Composed>(
      attend, AttentionSizes{.query = sizes.words, .key = sizes.source},
      key.with("cross"));
  const int context = cross->out_width();
  return {GatedConvolution(convolution, key.with("convolution")),
          Linear::normed(width, sizes.words, 0, key.with("to_query")),
          Linear::normed(context, width, 0, key.with("from_context")),
          std::move(cross)};
}

// The root of the length of each query's source. The paper multiplies by m
// sqrt(1/m): a mean of m rows has a variance of 1/m of theirs.
Tensor length_roots(const Queries& queries, const Memory& memory) {
  Tensor roots({queries.of.total()});
  for (int b = 0; b < queries.of.count(); ++b) {
    const int s = queries.memory.empty() ? b : queries.memory[b];
    const int length = memory.full_lengths.empty() ? memory.rows[s].length
                                                   : memory.full_lengths[s];
    for (int i = queries.of.begin(b); i < queries.of.end(b); ++i) {
      roots[i] = std::sqrt(static_cast<float>(length));
    }
  }
  return roots;
}

// What a layer's attention is asked; the rows are up to the layer.
struct Look {
  Queries queries;
  const Memory& memory;
  const Carry& carry;
};

class ConvolutionDecoder : public SequencePredictor {
 public:
  ConvolutionDecoder(const DecoderConfig& config, const ComposedConfig& attend,
                     const DecoderSizes& sizes, RandomKey key)
      : width_(config.readout ? config.readout : sizes.words),
        dropout_(config.dropout),
        adds_embedded_(sizes.source == sizes.embedded) {
    const auto stack =
        convolution_sizes("predict", config.layers,
                          {.width = config.width, .kernel = config.kernel},
                          config.widths, config.kernels);
    int width = stack.front().width;
    first_ = Linear::normed(sizes.words, width, dropout_, key.with("first"));
    for (size_t i = 0; i < stack.size(); ++i) {
      layers_.push_back(make_layer({.in = width,
                                    .size = stack[i],
                                    .reach = Conv1dReach::kCausal,
                                    .dropout = dropout_},
                                   attend, sizes, key.with("layer").with(i)));
      width = stack[i].width;
    }
    last_ = Linear::normed(width, width_, 0, key.with("last"));
    const auto layers = static_cast<int>(layers_.size());
    check_usage(
        config.alignment_layer >= -layers && config.alignment_layer < layers,
        "predict.alignment-layer is ", config.alignment_layer, " of ", layers,
        " layers");
    aligned_ = config.alignment_layer + (config.alignment_layer < 0) * layers;
    source_gradient_ =
        config.scale_gradient ? 0.5f / static_cast<float>(layers) : 1.0f;
  }

  State start(const Encoded& source, const Pass& pass) const override {
    State state;
    const int count = source.of.count();
    for (const Layer& layer : layers_) {
      const int window = layer.convolution.window();
      if (window > 0) state.rows.push_back(Tensor::zeros({count, window}));
    }
    state.carries.resize(layers_.size());
    state.source.resize(count);
    std::iota(state.source.begin(), state.source.end(), 0);
    state.position.assign(count, 0);
    state.memories =
        std::make_shared<const std::vector<Memory>>(remember(source, pass));
    return state;
  }

  Step step(State state, const Var& words, const Pass& pass) const override {
    const Queries queries{.rows = {},
                          .of = single_rows(state.count()),
                          .memory = state.source,
                          .position = state.position};
    Var x = first_(words), none;
    size_t window = 0;
    for (size_t i = 0; i < layers_.size(); ++i) {
      const GatedConvolution& convolution = layers_[i].convolution;
      Var& before = convolution.window() > 0 ? state.rows[window++] : none;
      const Var y = convolution.step(before, x);
      Attended attended =
          attend(layers_[i], {queries, (*state.memories)[i], state.carries[i]},
                 y, words, layer_pass(pass, i));
      state.carries[i] = std::move(attended.carry);
      x = convolution.residual(x, attended.context);
    }
    for (int& position : state.position) ++position;
    return {std::move(state), last_(x)};
  }

  Forced forced(const Encoded& source, const Var& words, const Segments& of,
                const Pass& pass, bool want_weights) const override {
    const std::vector<Memory> memories = remember(source, pass);
    const Carry nothing;
    Forced result;
    Var x = first_(words);
    for (size_t i = 0; i < layers_.size(); ++i) {
      const GatedConvolution& convolution = layers_[i].convolution;
      const Pass in_layer = layer_pass(pass, i);
      const bool aligned = want_weights && static_cast<int>(i) == aligned_;
      Attended attended =
          attend(layers_[i],
                 {{.rows = {}, .of = of, .want_weights = aligned},
                  memories[i],
                  nothing},
                 convolution(x, of, in_layer), words, in_layer);
      if (aligned) result.weights = std::move(attended.weights);
      x = convolution.residual(x, attended.context);
    }
    result.hidden = drop(last_(x), dropout_, pass);
    return result;
  }

  int width() const override { return width_; }
  std::string alignment_layer() const override {
    return join("layer.", aligned_, ".cross");
  }

  void params(Params& p) override {
    p("first", first_);
    for (size_t i = 0; i < layers_.size(); ++i) {
      p(join("layer.", i), layers_[i]);
    }
    p("last", last_);
  }

 private:
  static Pass layer_pass(const Pass& pass, size_t i) {
    return pass.in("layer", static_cast<int>(i));
  }

  std::vector<Memory> remember(const Encoded& source, const Pass& pass) const {
    // Each layer gives a gradient to both keys and values.
    const Var keys = scale_gradient(source.states, source_gradient_);
    const Var values =
        adds_embedded_ ? scale(keys + source.embedded, kHalfRoot) : keys;
    std::vector<Memory> memories;
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Pass in_layer = layer_pass(pass, i);
      memories.push_back(layers_[i].cross->remember(
          {.keys = keys, .values = values, .of = source.of},
          in_layer.in("cross")));
    }
    return memories;
  }

  // The context comes with the layer's convolution `y` added.
  static Attended attend(const Layer& layer, Look look, const Var& y,
                         const Var& words, const Pass& in_layer) {
    look.queries.rows = scale(layer.to_query(y) + words, kHalfRoot);
    Attended attended = layer.cross->attend(look.queries, look.memory,
                                            look.carry, in_layer.in("cross"));
    const Var context =
        scale_rows(attended.context, length_roots(look.queries, look.memory));
    attended.context = scale(layer.from_context(context) + y, kHalfRoot);
    return attended;
  }

  int width_;
  float dropout_;
  bool adds_embedded_;
  int aligned_ = 0;
  float source_gradient_ = 1.0f;
  Linear first_, last_;
  std::vector<Layer> layers_;
};

}  // namespace

std::unique_ptr<SequencePredictor> make_convolution_decoder(
    const DecoderConfig& config, const ComposedConfig& attend,
    const DecoderSizes& sizes, RandomKey key) {
  return std::make_unique<ConvolutionDecoder>(config, attend, sizes, key);
}

}  // namespace fovea
