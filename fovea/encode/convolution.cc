#include "fovea/encode/convolution.h"

#include <vector>

#include "fovea/base/check.h"
#include "fovea/layers/gated_convolution.h"

namespace fovea {
namespace {

class ConvolutionEncoder : public Encoder {
 public:
  ConvolutionEncoder(const EncoderConfig& config, int in, RandomKey key)
      : in_(in) {
    const auto sizes =
        convolution_sizes("encode", config.layers,
                          {.width = config.width, .kernel = config.kernel},
                          config.widths, config.kernels);
    int width = sizes.front().width;
    first_ = Linear::normed(in, width, config.dropout, key.with("first"));
    for (size_t i = 0; i < sizes.size(); ++i) {
      layers_.emplace_back(
          GatedConvolutionConfig{
              .in = width, .size = sizes[i], .dropout = config.dropout},
          key.with("layer").with(i));
      width = sizes[i].width;
    }
    last_ = Linear::normed(width, in, 0, key.with("last"));
  }

  Encoded operator()(const Var& embedded, const Segments& of,
                     const Pass& pass) const override {
    Var x = first_(embedded);
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Pass in_layer = pass.in("layer", static_cast<int>(i));
      x = layers_[i].residual(x, layers_[i](x, of, in_layer));
    }
    return {.states = last_(x), .of = of, .embedded = embedded};
  }

  int width() const override { return in_; }

  void params(Params& p) override {
    p("first", first_);
    for (size_t i = 0; i < layers_.size(); ++i) {
      p(join("layer.", i), layers_[i]);
    }
    p("last", last_);
  }

 private:
  int in_;
  Linear first_, last_;
  std::vector<GatedConvolution> layers_;
};

}  // namespace

std::unique_ptr<Encoder> make_convolution_encoder(const EncoderConfig& config,
                                                  int in, RandomKey key) {
  return std::make_unique<ConvolutionEncoder>(config, in, key);
}

}  // namespace fovea
