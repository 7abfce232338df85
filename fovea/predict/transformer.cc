#include "fovea/predict/transformer.h"

#include <numeric>
#include <vector>

#include "fovea/attend/registry.h"
#include "fovea/base/check.h"
#include "fovea/predict/step_attention.h"

namespace fovea {
namespace {

struct Layer {
  std::unique_ptr<Attention> self, cross;
  FeedForward feed_forward;
  LayerNorm self_norm, cross_norm, feed_norm;

  void params(Params& p) {
    p("self", *self);
    p("self_norm", self_norm);
    p("cross", *cross);
    p("cross_norm", cross_norm);
    p("feed_forward", feed_forward);
    p("feed_norm", feed_norm);
  }
};

Layer make_layer(const DecoderConfig& config, const ComposedConfig& attend,
                 const DecoderSizes& sizes, RandomKey key) {
  const ComposedConfig self{.position = config.position,
                            .heads = config.heads,
                            .scale = config.scale,
                            .dropout = config.attention_dropout,
                            .causal = true,
                            .options = config.options};
  const int width = config.width;
  return {make_attention(self, {.query = width}, key.with("self")),
          make_attention(attend, {.query = width, .key = sizes.source},
                         key.with("cross")),
          FeedForward({.width = width,
                       .hidden = config.ffn,
                       .activation = config.activation,
                       .dropout = config.activation_dropout},
                      key.with("feed_forward")),
          LayerNorm(width),
          LayerNorm(width),
          LayerNorm(width)};
}

class TransformerDecoder : public SequencePredictor {
 public:
  TransformerDecoder(const DecoderConfig& config, const ComposedConfig& attend,
                     const DecoderSizes& sizes, RandomKey key)
      : width_(config.width), join_(config.norm, config.dropout) {
    for (int i = 0; i < config.layers; ++i) {
      layers_.push_back(
          make_layer(config, attend, sizes, key.with("layer").with(i)));
    }
    if (config.norm == NormOrder::kPre) last_ = LayerNorm(config.width);
    aligned_ = config.alignment_layer;
    if (aligned_ < 0) aligned_ += config.layers;
  }

  State start(const Encoded& source, const Pass& pass) const override {
    State state;
    state.memories =
        std::make_shared<const std::vector<Memory>>(remember(source, pass));
    state.carries.resize(layers_.size());
    state.source.resize(source.of.count());
    std::iota(state.source.begin(), state.source.end(), 0);
    state.position.assign(source.of.count(), 0);
    const Var none = Tensor({0, width_});
    const Segments empty =
        Segments::from_lengths(std::vector<int>(source.of.count(), 0));
    for (size_t i = 0; i < layers_.size(); ++i) {
      state.caches.push_back(layers_[i].self->remember(
          {.keys = none, .of = empty}, layer_pass(pass, i).in("self")));
    }
    return state;
  }

  Step step(State state, const Var& words, const Pass& pass) const override {
    const Segments of = single_rows(state.count());
    Stream stream = join_.begin(words, layers_.front().self_norm);
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Layer& layer = layers_[i];
      const Pass in_layer = layer_pass(pass, i);
      layer.self->extend(state.caches[i], {.keys = stream.read, .of = of});
      const Pass in_self = in_layer.in("self");
      const Var context =
          layer.self
              ->attend({.rows = stream.read, .of = of, .kind = "self"},
                       state.caches[i], {}, in_self)
              .context;
      stream = join_.add(stream, context, layer.self_norm, layer.cross_norm,
                         in_self);
      const Pass in_cross = in_layer.in("cross");
      Attended attended =
          layer.cross->attend({.rows = stream.read,
                               .of = of,
                               .memory = state.source,
                               .position = state.position},
                              (*state.memories)[i], state.carries[i], in_cross);
      state.carries[i] = std::move(attended.carry);
      stream = join_.add(stream, attended.context, layer.cross_norm,
                         layer.feed_norm, in_cross);
      stream = feed(stream, i, in_layer);
    }
    for (int& position : state.position) ++position;
    return {std::move(state), stream.read};
  }

  Forced forced(const Encoded& source, const Var& words, const Segments& of,
                const Pass& pass, bool want_weights) const override {
    const std::vector<Memory> memories = remember(source, pass);
    Forced result;
    Stream stream = join_.begin(words, layers_.front().self_norm);
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Layer& layer = layers_[i];
      const Pass in_layer = layer_pass(pass, i);
      const Pass in_self = in_layer.in("self");
      const Var context = layer.self->self(stream.read, of, in_self).context;
      stream = join_.add(stream, context, layer.self_norm, layer.cross_norm,
                         in_self);
      const Pass in_cross = in_layer.in("cross");
      const bool aligned = want_weights && static_cast<int>(i) == aligned_;
      Attended attended = layer.cross->attend(
          {.rows = stream.read, .of = of, .want_weights = aligned}, memories[i],
          {}, in_cross);
      if (aligned) result.weights = std::move(attended.weights);
      stream = join_.add(stream, attended.context, layer.cross_norm,
                         layer.feed_norm, in_cross);
      stream = feed(stream, i, in_layer);
    }
    result.hidden = stream.read;
    return result;
  }

  int width() const override { return width_; }
  std::string alignment_layer() const override {
    return fovea::join("layer.", aligned_, ".cross");
  }

  void params(Params& p) override {
    for (size_t i = 0; i < layers_.size(); ++i) {
      p(fovea::join("layer.", i), layers_[i]);
    }
    if (join_.order() == NormOrder::kPre) p("norm", last_);
  }

 private:
  static Pass layer_pass(const Pass& pass, size_t i) {
    return pass.in("layer", static_cast<int>(i));
  }

  std::vector<Memory> remember(const Encoded& source, const Pass& pass) const {
    std::vector<Memory> memories;
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Pass in_layer = layer_pass(pass, i);
      memories.push_back(layers_[i].cross->remember(
          {.keys = source.states, .of = source.of}, in_layer.in("cross")));
    }
    return memories;
  }

  Stream feed(const Stream& stream, size_t i, const Pass& in_layer) const {
    const Layer& layer = layers_[i];
    const Pass in_feed = in_layer.in("feed_forward");
    const LayerNorm& next =
        i + 1 < layers_.size() ? layers_[i + 1].self_norm : last_;
    return join_.add(stream, layer.feed_forward(stream.read, in_feed),
                     layer.feed_norm, next, in_feed);
  }

  int width_;
  int aligned_;
  Join join_;
  std::vector<Layer> layers_;
  LayerNorm last_;
};

}  // namespace

std::unique_ptr<SequencePredictor> make_transformer_decoder(
    const DecoderConfig& config, const ComposedConfig& attend,
    const DecoderSizes& sizes, RandomKey key) {
  check_usage(config.layers >= 1, "predict.layers is ", config.layers,
              ": give at least 1");
  check_usage(sizes.words == config.width, "predict.width is ", config.width,
              " and embed.width is ", sizes.words,
              ": a Transformer decoder needs them equal");
  check_usage(config.alignment_layer >= -config.layers &&
                  config.alignment_layer < config.layers,
              "predict.alignment-layer is ", config.alignment_layer, " of ",
              config.layers, " layers");
  return std::make_unique<TransformerDecoder>(config, attend, sizes, key);
}

}  // namespace fovea
