#include "fovea/encode/cnn.h"

#include <cmath>
#include <vector>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/layers/convolution.h"

namespace fovea {
namespace {

class CnnEncoder : public Encoder {
 public:
  CnnEncoder(const std::vector<int>& kernels, int width, int in, RandomKey key)
      : width_(width) {
    for (int taps : kernels) {
      const auto inputs = static_cast<float>(taps * in);
      convolutions_.push_back(
          Convolution({.in = in,
                       .out = width / static_cast<int>(kernels.size()),
                       .taps = taps,
                       .deviation = std::sqrt(2 / inputs)},  // He et al. 2015
                      key.with("kernel").with(convolutions_.size())));
    }
  }

  Encoded operator()(const Var& x, const Segments& of,
                     const Pass&) const override {
    std::vector<Var> maps;
    for (const Convolution& convolution : convolutions_) {
      maps.push_back(convolution(x, of));
    }
    return {.states = relu(concat_columns(maps)), .of = of, .embedded = x};
  }

  int width() const override { return width_; }

  void params(Params& p) override {
    for (size_t i = 0; i < convolutions_.size(); ++i) {
      p(join("kernel.", i), convolutions_[i]);
    }
  }

 private:
  int width_;
  std::vector<Convolution> convolutions_;
};

}  // namespace

std::unique_ptr<Encoder> make_cnn_encoder(const EncoderConfig& config, int in,
                                          RandomKey key) {
  const std::vector<int> kernels =
      config.kernels.empty() ? std::vector<int>{config.kernel} : config.kernels;
  const auto count = static_cast<int>(kernels.size());
  check_usage(config.width >= count && config.width % count == 0,
              "encode.width is ", config.width, " and encode.kernels has ",
              count, " of them: the second must divide the first");
  return std::make_unique<CnnEncoder>(kernels, config.width, in, key);
}

}  // namespace fovea
