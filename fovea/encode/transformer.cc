#include "fovea/encode/transformer.h"

#include <vector>

#include "fovea/attend/registry.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

struct Layer {
  std::unique_ptr<Attention> self;
  FeedForward feed_forward;
  LayerNorm self_norm, feed_norm;

  void params(Params& p) {
    p("self", *self);
    p("self_norm", self_norm);
    p("feed_forward", feed_forward);
    p("feed_norm", feed_norm);
  }
};

Layer make_layer(const EncoderConfig& config, RandomKey key) {
  const ComposedConfig self{.position = config.position,
                            .heads = config.heads,
                            .scale = config.scale,
                            .dropout = config.attention_dropout,
                            .options = config.options};
  return {make_attention(self, {.query = config.width}, key.with("self")),
          FeedForward({.width = config.width,
                       .hidden = config.ffn,
                       .activation = config.activation,
                       .dropout = config.activation_dropout},
                      key.with("feed_forward")),
          LayerNorm(config.width), LayerNorm(config.width)};
}

class TransformerEncoder : public Encoder {
 public:
  TransformerEncoder(const EncoderConfig& config, RandomKey key)
      : width_(config.width), join_(config.norm, config.dropout) {
    for (int i = 0; i < config.layers; ++i) {
      layers_.push_back(make_layer(config, key.with("layer").with(i)));
    }
    if (config.norm == NormOrder::kPre) last_ = LayerNorm(config.width);
  }

  Encoded operator()(const Var& x, const Segments& of,
                     const Pass& pass) const override {
    Stream stream = join_.begin(x, layers_.front().self_norm);
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Layer& layer = layers_[i];
      const Pass in_layer = pass.in("layer", static_cast<int>(i));
      const Pass in_self = in_layer.in("self");
      const Var context = layer.self->self(stream.read, of, in_self).context;
      stream =
          join_.add(stream, context, layer.self_norm, layer.feed_norm, in_self);
      const Pass in_feed = in_layer.in("feed_forward");
      stream = join_.add(stream, layer.feed_forward(stream.read, in_feed),
                         layer.feed_norm, norm_after(i), in_feed);
    }
    return {.states = stream.read, .of = of, .embedded = x};
  }

  int width() const override { return width_; }

  void params(Params& p) override {
    for (size_t i = 0; i < layers_.size(); ++i) {
      p(join("layer.", i), layers_[i]);
    }
    if (join_.order() == NormOrder::kPre) p("norm", last_);
  }

 private:
  const LayerNorm& norm_after(size_t layer) const {
    return layer + 1 < layers_.size() ? layers_[layer + 1].self_norm : last_;
  }

  int width_;
  Join join_;
  std::vector<Layer> layers_;
  LayerNorm last_;
};

}  // namespace

std::unique_ptr<Encoder> make_transformer_encoder(const EncoderConfig& config,
                                                  int in, RandomKey key) {
  check_usage(config.layers >= 1, "encode.layers is ", config.layers,
              ": give at least 1");
  check_usage(in == config.width, "encode.width is ", config.width,
              " and embed.width is ", in,
              ": a Transformer encoder needs them equal");
  return std::make_unique<TransformerEncoder>(config, key);
}

}  // namespace fovea
