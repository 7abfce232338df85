#include "support/twin_convs2s.h"

#include <cmath>

#include "support/twin_conv.h"
#include "support/twin_softmax.h"

namespace fovea::testing {
namespace {

const double kHalf = std::sqrt(0.5);

// Takes parameters one after another.
struct Taken {
  const std::vector<Doubles>& all;
  size_t next;
  const Doubles& take() { return all[next++]; }
};

struct Affine {
  Doubles weight, bias;  // the weight normalised
};

Affine take_normed(Taken& params) {
  const Doubles &v = params.take(), &bias = params.take();
  const Doubles& gain = params.take();
  const size_t width = v.size() / gain.size();
  Doubles w = v;
  for (size_t i = 0; i < gain.size(); ++i) {
    double squares = 0;
    for (size_t j = 0; j < width; ++j)
      squares += v[i * width + j] * v[i * width + j];
    for (size_t j = 0; j < width; ++j)
      w[i * width + j] *= gain[i] / std::sqrt(squares);
  }
  return {w, bias};
}

Doubles linear(const Affine& a, const Doubles& x) {
  const size_t out = a.bias.size(), in = a.weight.size() / out;
  Doubles y;
  for (size_t row = 0; row < x.size() / in; ++row) {
    for (size_t o = 0; o < out; ++o) {
      double sum = a.bias[o];
      for (size_t i = 0; i < in; ++i)
        sum += a.weight[o * in + i] * x[row * in + i];
      y.push_back(sum);
    }
  }
  return y;
}

Doubles half_sum(const Doubles& x, const Doubles& y) {
  Doubles z = x;
  for (size_t i = 0; i < z.size(); ++i) z[i] = (z[i] + y[i]) * kHalf;
  return z;
}

Doubles glu(const Doubles& x, int width) {
  Doubles y;
  for (size_t row = 0; row < x.size() / (2 * width); ++row) {
    const double* a = &x[row * 2 * width];
    for (int i = 0; i < width; ++i)
      y.push_back(a[i] / (1 + std::exp(-a[width + i])));
  }
  return y;
}

// A layer's gated convolution, and what its residual adds.
struct Gated {
  Doubles y, residual;
};

Gated gated(Taken& params, const Doubles& x, const TwinConv1d& conv) {
  const Affine a = take_normed(params);
  const int width = conv.out / 2;
  const Doubles y = glu(twin_conv1d(conv, x, a.weight, a.bias), width);
  return {y, width == conv.in ? x : linear(take_normed(params), x)};
}

// The contexts of queries [M,d] over each source, times the root of its length.
Doubles attend(const TwinConvDecoder& t, const Doubles& q, const Doubles& z,
               const Doubles& y) {
  const int d = t.in;
  Doubles contexts;
  for (int b = 0; b < t.target.count(); ++b) {
    const int keys = t.source.length(b), first = t.source.begin(b);
    for (int m = t.target.begin(b); m < t.target.end(b); ++m) {
      Doubles scores(keys, 0.0), c(d, 0.0);
      for (int j = 0; j < keys; ++j) {
        for (int i = 0; i < d; ++i)
          scores[j] += q[m * d + i] * z[(first + j) * d + i];
      }
      const Doubles a = twin_softmax(scores, {keys});
      for (int j = 0; j < keys; ++j) {
        for (int i = 0; i < d; ++i) {
          c[i] += a[j] * y[(first + j) * d + i] * keys * std::sqrt(1.0 / keys);
        }
      }
      contexts.insert(contexts.end(), c.begin(), c.end());
    }
  }
  return contexts;
}

}  // namespace

Doubles TwinConvEncoder::operator()(const std::vector<Doubles>& inputs) const {
  Taken params{inputs, 1};
  Doubles x = linear(take_normed(params), inputs[0]);
  int width = layers.front().width;
  for (const TwinLayer& layer : layers) {
    const Gated g = gated(
        params, x,
        {of, width, 2 * layer.width, layer.kernel, 1, (layer.kernel - 1) / 2});
    x = half_sum(g.residual, g.y);
    width = layer.width;
  }
  return linear(take_normed(params), x);
}

Doubles TwinConvDecoder::operator()(const std::vector<Doubles>& inputs) const {
  Taken params{inputs, 3};
  const Doubles &z = inputs[0], &words = inputs[2];
  const Doubles values = half_sum(z, inputs[1]);
  Doubles x = linear(take_normed(params), words);
  int width = layers.front().width;
  for (const TwinLayer& layer : layers) {
    const Gated g = gated(
        params, x,
        {target, width, 2 * layer.width, layer.kernel, 1, layer.kernel - 1});
    const Doubles q = half_sum(linear(take_normed(params), g.y), words);
    const Doubles c = attend(*this, q, z, values);
    const Doubles h = half_sum(linear(take_normed(params), c), g.y);
    x = half_sum(g.residual, h);
    width = layer.width;
  }
  return linear(take_normed(params), x);
}

}  // namespace fovea::testing
