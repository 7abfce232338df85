#include "support/twin_image.h"

#include <algorithm>
#include <cmath>

namespace fovea::testing {
namespace {

// Indices of x inside the window of the output number `index`, row by row.
std::vector<int> members(const TwinPool& p, int index) {
  const int c = index % p.channels;
  const int ox = index / p.channels % p.out_width();
  const int oy = index / p.channels / p.out_width() % p.out_height();
  const int b = index / p.channels / p.out_width() / p.out_height();
  std::vector<int> found;
  for (int i = oy * p.stride - p.pad; i < oy * p.stride - p.pad + p.window;
       ++i) {
    for (int j = ox * p.stride - p.pad; j < ox * p.stride - p.pad + p.window;
         ++j) {
      if (i < 0 || i >= p.height || j < 0 || j >= p.width) continue;
      found.push_back(((b * p.height + i) * p.width + j) * p.channels + c);
    }
  }
  return found;
}

int outputs(const TwinPool& p) {
  return p.batch * p.out_height() * p.out_width() * p.channels;
}

// Weight of input j in output i: a tent of width one around its place.
double tent(int i, int j, int in, int out, bool align_corners) {
  double at = align_corners ? (out > 1 ? i * double(in - 1) / (out - 1) : 0.0)
                            : (i + 0.5) * in / out - 0.5;
  at = std::min(std::max(at, 0.0), double(in - 1));
  return std::max(0.0, 1.0 - std::abs(at - j));
}

template <class Body>
void for_weights(const TwinResample& r, Body body) {
  for (int i = 0; i < r.out_height; ++i) {
    for (int j = 0; j < r.out_width; ++j) {
      for (int k = 0; k < r.height; ++k) {
        for (int l = 0; l < r.width; ++l) {
          const double weight =
              tent(i, k, r.height, r.out_height, r.align_corners) *
              tent(j, l, r.width, r.out_width, r.align_corners);
          if (weight != 0) {
            body(i * r.out_width + j, k * r.width + l, weight);
          }
        }
      }
    }
  }
}

}  // namespace

Doubles twin_max_pool(const TwinPool& pool, const Doubles& x) {
  Doubles y(outputs(pool));
  for (int o = 0; o < outputs(pool); ++o) {
    y[o] = -HUGE_VAL;
    for (int i : members(pool, o)) y[o] = std::max(y[o], x[i]);
  }
  return y;
}

Doubles twin_max_pool_gradient(const TwinPool& pool, const Doubles& x,
                               const Doubles& dy) {
  Doubles dx(x.size());
  for (int o = 0; o < outputs(pool); ++o) {
    int winner = -1;
    for (int i : members(pool, o)) {
      if (winner < 0 || x[i] > x[winner]) winner = i;
    }
    dx[winner] += dy[o];
  }
  return dx;
}

Doubles twin_average_pool(const TwinPool& pool, const Doubles& x) {
  Doubles y(outputs(pool));
  for (int o = 0; o < outputs(pool); ++o) {
    const std::vector<int> inside = members(pool, o);
    for (int i : inside) y[o] += x[i] / static_cast<double>(inside.size());
  }
  return y;
}

Doubles twin_average_pool_gradient(const TwinPool& pool, const Doubles& dy) {
  Doubles dx(pool.batch * pool.height * pool.width * pool.channels);
  for (int o = 0; o < outputs(pool); ++o) {
    const std::vector<int> inside = members(pool, o);
    for (int i : inside) dx[i] += dy[o] / static_cast<double>(inside.size());
  }
  return dx;
}

Doubles twin_resample(const TwinResample& r, const Doubles& x) {
  const int in = r.height * r.width * r.channels;
  const int out = r.out_height * r.out_width * r.channels;
  Doubles y(r.batch * out);
  for_weights(r, [&](int to, int from, double weight) {
    for (int b = 0; b < r.batch; ++b) {
      for (int c = 0; c < r.channels; ++c) {
        y[b * out + to * r.channels + c] +=
            weight * x[b * in + from * r.channels + c];
      }
    }
  });
  return y;
}

Doubles twin_resample_gradient(const TwinResample& r, const Doubles& dy) {
  const int in = r.height * r.width * r.channels;
  const int out = r.out_height * r.out_width * r.channels;
  Doubles dx(r.batch * in);
  for_weights(r, [&](int to, int from, double weight) {
    for (int b = 0; b < r.batch; ++b) {
      for (int c = 0; c < r.channels; ++c) {
        dx[b * in + from * r.channels + c] +=
            weight * dy[b * out + to * r.channels + c];
      }
    }
  });
  return dx;
}

namespace {

struct Column {
  double mean = 0, inverse = 0;
};

std::vector<Column> columns_of(const Doubles& x, size_t cols, double epsilon) {
  const double rows = static_cast<double>(x.size() / cols);
  std::vector<Column> columns(cols);
  for (size_t i = 0; i < x.size(); ++i) columns[i % cols].mean += x[i] / rows;
  Doubles variance(cols);
  for (size_t i = 0; i < x.size(); ++i) {
    variance[i % cols] += std::pow(x[i] - columns[i % cols].mean, 2) / rows;
  }
  for (size_t j = 0; j < cols; ++j) {
    columns[j].inverse = 1 / std::sqrt(variance[j] + epsilon);
  }
  return columns;
}

}  // namespace

Doubles twin_batch_norm(const Doubles& x, const Doubles& gain,
                        const Doubles& bias, double epsilon) {
  const size_t cols = gain.size();
  const std::vector<Column> columns = columns_of(x, cols, epsilon);
  Doubles y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const Column& column = columns[i % cols];
    y[i] =
        (x[i] - column.mean) * column.inverse * gain[i % cols] + bias[i % cols];
  }
  return y;
}

std::vector<Doubles> twin_batch_norm_gradient(const Doubles& x,
                                              const Doubles& gain,
                                              const Doubles& dy,
                                              double epsilon) {
  const size_t cols = gain.size();
  const double rows = static_cast<double>(x.size() / cols);
  const std::vector<Column> columns = columns_of(x, cols, epsilon);
  Doubles dx(x.size()), dgain(cols), dbias(cols);
  const auto hat = [&](size_t i) {
    return (x[i] - columns[i % cols].mean) * columns[i % cols].inverse;
  };
  for (size_t i = 0; i < x.size(); ++i) {
    dgain[i % cols] += dy[i] * hat(i);
    dbias[i % cols] += dy[i];
  }
  for (size_t i = 0; i < x.size(); ++i) {  // d = dy * gain
    const size_t j = i % cols;
    const double d = dy[i] * gain[j];
    const double mean_d = dbias[j] * gain[j] / rows;
    const double mean_dx = dgain[j] * gain[j] / rows;
    dx[i] = columns[j].inverse * (d - mean_d - hat(i) * mean_dx);
  }
  return {dx, dgain, dbias};
}

}  // namespace fovea::testing
