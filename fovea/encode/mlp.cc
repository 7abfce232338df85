#include "fovea/encode/mlp.h"

#include <vector>

#include "fovea/base/check.h"
#include "fovea/layers/dropout.h"

namespace fovea {
namespace {

class MlpEncoder : public Encoder {
 public:
  MlpEncoder(const EncoderConfig& config, int in, RandomKey key)
      : width_(config.width),
        dropout_(config.dropout),
        activation_(config.activation) {
    for (int i = 0; i < config.layers; ++i) {
      layers_.emplace_back(i == 0 ? in : width_, width_, true,
                           key.with("layer").with(i));
    }
  }

  Encoded operator()(const Var& embedded, const Segments& of,
                     const Pass& pass) const override {
    Var x = embedded;
    for (size_t i = 0; i < layers_.size(); ++i) {
      x = drop(layers_[i](x, activation_), dropout_,
               pass.in("layer", static_cast<int>(i)));
    }
    return {.states = x, .of = of, .embedded = embedded};
  }

  int width() const override { return width_; }

  void params(Params& p) override {
    for (size_t i = 0; i < layers_.size(); ++i) {
      p(join("layer.", i), layers_[i]);
    }
  }

 private:
  int width_;
  float dropout_;
  Activation activation_;
  std::vector<Linear> layers_;
};

}  // namespace

std::unique_ptr<Encoder> make_mlp_encoder(const EncoderConfig& config, int in,
                                          RandomKey key) {
  check_usage(config.layers >= 1, "encode.layers is ", config.layers,
              ": give at least 1");
  check_usage(config.width >= 1, "encode.width is ", config.width,
              ": give at least 1");
  return std::make_unique<MlpEncoder>(config, in, key);
}

}  // namespace fovea
