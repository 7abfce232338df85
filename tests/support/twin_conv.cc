#include "support/twin_conv.h"

namespace fovea::testing {
namespace {

// Calls body(y's index, x's index, weight's index) for every product of the
// convolution: y += x * weight. The gradients follow from the same list.
template <class Body>
void products(const TwinConv1d& conv, Body body) {
  for (int b = 0; b < conv.of.count(); ++b) {
    for (int t = conv.of.begin(b); t < conv.of.end(b); ++t) {
      for (int o = 0; o < conv.out; ++o) {
        for (int k = 0; k < conv.taps; ++k) {
          const int s = t + k * conv.dilation - conv.left;
          if (s < conv.of.begin(b) || s >= conv.of.end(b)) continue;
          for (int i = 0; i < conv.in; ++i) {
            body(t * conv.out + o, s * conv.in + i,
                 (o * conv.taps + k) * conv.in + i);
          }
        }
      }
    }
  }
}

template <class Body>
void window_products(const TwinConv2d& c, int b, int oy, int ox, Body body) {
  for (int f = 0; f < c.filters; ++f) {
    const int y =
        ((b * c.out_height() + oy) * c.out_width() + ox) * c.filters + f;
    for (int ky = 0; ky < c.rows; ++ky) {
      for (int kx = 0; kx < c.cols; ++kx) {
        const int iy = oy * c.stride + ky - c.pad_height;
        const int ix = ox * c.stride + kx - c.pad_width;
        if (iy < 0 || iy >= c.height || ix < 0 || ix >= c.width) continue;
        for (int i = 0; i < c.channels; ++i) {
          body(y, ((b * c.height + iy) * c.width + ix) * c.channels + i,
               ((f * c.rows + ky) * c.cols + kx) * c.channels + i);
        }
      }
    }
  }
}

template <class Body>
void products(const TwinConv2d& c, Body body) {
  for (int b = 0; b < c.batch; ++b) {
    for (int oy = 0; oy < c.out_height(); ++oy) {
      for (int ox = 0; ox < c.out_width(); ++ox) {
        window_products(c, b, oy, ox, body);
      }
    }
  }
}

template <class Conv>
Doubles forward(const Conv& conv, size_t rows, const Doubles& x,
                const Doubles& weight, const Doubles& bias) {
  Doubles y;
  for (size_t i = 0; i < rows; ++i) y.insert(y.end(), bias.begin(), bias.end());
  products(conv, [&](int iy, int ix, int iw) { y[iy] += x[ix] * weight[iw]; });
  return y;
}

template <class Conv>
std::vector<Doubles> backward(const Conv& conv, int out, const Doubles& x,
                              const Doubles& weight, const Doubles& dy) {
  Doubles dx(x.size()), dw(weight.size()), db(out);
  products(conv, [&](int iy, int ix, int iw) {
    dx[ix] += dy[iy] * weight[iw];
    dw[iw] += dy[iy] * x[ix];
  });
  for (size_t i = 0; i < dy.size(); ++i) db[i % out] += dy[i];
  return {dx, dw, db};
}

}  // namespace

int TwinConv2d::out_height() const {
  return (height + 2 * pad_height - rows) / stride + 1;
}
int TwinConv2d::out_width() const {
  return (width + 2 * pad_width - cols) / stride + 1;
}

Doubles twin_conv1d(const TwinConv1d& conv, const Doubles& x,
                    const Doubles& weight, const Doubles& bias) {
  return forward(conv, conv.of.total(), x, weight, bias);
}
std::vector<Doubles> twin_conv1d_gradient(const TwinConv1d& conv,
                                          const Doubles& x,
                                          const Doubles& weight,
                                          const Doubles& dy) {
  return backward(conv, conv.out, x, weight, dy);
}
Doubles twin_conv2d(const TwinConv2d& conv, const Doubles& x,
                    const Doubles& weight, const Doubles& bias) {
  return forward(conv, conv.batch * conv.out_height() * conv.out_width(), x,
                 weight, bias);
}
std::vector<Doubles> twin_conv2d_gradient(const TwinConv2d& conv,
                                          const Doubles& x,
                                          const Doubles& weight,
                                          const Doubles& dy) {
  return backward(conv, conv.filters, x, weight, dy);
}

}  // namespace fovea::testing
