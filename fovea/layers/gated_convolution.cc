#include "fovea/layers/gated_convolution.h"

#include <cmath>

#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/layers/dropout.h"

namespace fovea {

std::vector<ConvolutionSize> convolution_sizes(
    const std::string& part, int layers, const ConvolutionSize& each,
    const std::vector<int>& widths, const std::vector<int>& kernels) {
  check_usage(
      widths.empty() || kernels.empty() || widths.size() == kernels.size(),
      part, ".widths has ", widths.size(), " layers and ", part, ".kernels ",
      kernels.size());
  if (!widths.empty() || !kernels.empty()) {
    layers = static_cast<int>(std::max(widths.size(), kernels.size()));
  }
  check_usage(layers >= 1, part, ".layers is ", layers, ": give at least 1");
  std::vector<ConvolutionSize> all(layers, each);
  for (size_t i = 0; i < widths.size(); ++i) all[i].width = widths[i];
  for (size_t i = 0; i < kernels.size(); ++i) all[i].kernel = kernels[i];
  for (const ConvolutionSize& size : all) {
    check_usage(size.width >= 1 && size.kernel >= 1, part, ": a layer of ",
                size.width, " numbers that sees ", size.kernel,
                " rows: give at least 1 each");
  }
  return all;
}

GatedConvolution::GatedConvolution(const GatedConvolutionConfig& config,
                                   RandomKey key)
    : config_(config) {
  const ConvolutionSize& size = config.size;
  const float inputs = static_cast<float>(size.kernel * config.in);
  convolution_ =
      Convolution({.in = config.in,
                   .out = 2 * size.width,
                   .taps = size.kernel,
                   .reach = config.reach,
                   .deviation = std::sqrt(4 * (1 - config.dropout) / inputs),
                   .normed = true},
                  key.with("convolution"));
  if (size.width != config.in) {
    project_ = Linear::normed(config.in, size.width, 0, key.with("project"));
  }
}

Var GatedConvolution::operator()(const Var& x, const Segments& of,
                                 const Pass& pass) const {
  return glu(convolution_(drop(x, config_.dropout, pass), of));
}

Var GatedConvolution::step(Var& before, const Var& x) const {
  if (window() == 0) return glu(convolution_.of_windows(x));
  const Var rows = concat_columns({before, x});
  before = slice_columns(rows, config_.in, rows.dim(1));
  return glu(convolution_.of_windows(rows));
}

Var GatedConvolution::residual(const Var& x, const Var& y) const {
  return scale((project_ ? project_(x) : x) + y, kHalfRoot);
}

void GatedConvolution::params(Params& p) {
  p("convolution", convolution_);
  if (project_) p("project", project_);
}

}  // namespace fovea
