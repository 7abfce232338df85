#include "support/twin_recurrent.h"

#include <cmath>
#include <numeric>

namespace fovea::testing {
namespace {

enum Input { kX, kW, kU, kB, kInnerB, kH0, kC0 };

double sigma(double x) { return 1 / (1 + std::exp(-x)); }

// y += M v, M [rows,cols] from row `first` on.
void add_product(const Doubles& m, int first, const Doubles& v, Doubles& y) {
  for (size_t r = 0; r < y.size(); ++r) {
    for (size_t k = 0; k < v.size(); ++k) {
      y[r] += m[(first + r) * v.size() + k] * v[k];
    }
  }
}

// dM += dy v^T, dv += M^T dy.
void add_product_gradient(const Doubles& m, int first, const Doubles& v,
                          const Doubles& dy, Doubles& dm, Doubles& dv) {
  for (size_t r = 0; r < dy.size(); ++r) {
    for (size_t k = 0; k < v.size(); ++k) {
      dm[(first + r) * v.size() + k] += dy[r] * v[k];
      dv[k] += m[(first + r) * v.size() + k] * dy[r];
    }
  }
}

Doubles part(const Doubles& from, int index, int width) {
  return {from.begin() + index * width, from.begin() + (index + 1) * width};
}

// What one step of one sequence saw and made.
struct Step {
  int row;
  Doubles x, h, c;  // before
  Doubles gates;    // after their nonlinearity
  Doubles reset;    // r * h
  Doubles inner;    // U h + b' of the candidate
  Doubles new_h, new_c;
};

struct Run {
  const TwinRecurrent& t;
  const std::vector<Doubles>& in;

  void gate(Step& s) const;
  Step step(int row, const Doubles& h, const Doubles& c) const;
  std::vector<Step> sequence(int b) const;
  // dh and dc: of the new state, then of the old one.
  void back(const Step& s, std::vector<Doubles>& grads, Doubles& dh,
            Doubles& dc) const;
  Doubles gru_back(const Step& s, std::vector<Doubles>& grads,
                   Doubles& dh) const;
  Doubles lstm_back(const Step& s, const Doubles& dh, Doubles& dc) const;
};

void Run::gate(Step& s) const {
  const int d = t.width;
  Doubles& a = s.gates;
  if (t.cell == TwinRecurrent::kGru) {
    Doubles zr(2 * d);
    add_product(in[kU], 0, s.h, zr);
    for (int i = 0; i < 2 * d; ++i) a[i] = sigma(a[i] + zr[i]);
    s.reset.resize(d);
    for (int i = 0; i < d; ++i) s.reset[i] = a[d + i] * s.h[i];
    s.inner.assign(d, 0);
    if (t.reset_after) s.inner = in[kInnerB];
    add_product(in[kU], 2 * d, t.reset_after ? s.h : s.reset, s.inner);
    for (int i = 0; i < d; ++i) {
      const double r = t.reset_after ? a[d + i] : 1;
      a[2 * d + i] = std::tanh(a[2 * d + i] + r * s.inner[i]);
    }
    return;
  }
  add_product(in[kU], 0, s.h, a);
  const int sigmoids = t.cell == TwinRecurrent::kLstm ? 3 * d : 0;
  for (int i = 0; i < t.gates() * d; ++i) {
    a[i] = i < sigmoids ? sigma(a[i]) : std::tanh(a[i]);
  }
}

Step Run::step(int row, const Doubles& h, const Doubles& c) const {
  const int d = t.width;
  Step s{row, part(in[kX], row, t.in), h, c, in[kB], {}, {}, h, c};
  add_product(in[kW], 0, s.x, s.gates);
  gate(s);
  const Doubles& a = s.gates;
  for (int i = 0; i < d; ++i) {
    switch (t.cell) {
      case TwinRecurrent::kElman:
        s.new_h[i] = a[i];
        break;
      case TwinRecurrent::kLstm:
        s.new_c[i] = a[d + i] * c[i] + a[i] * a[3 * d + i];
        s.new_h[i] = a[2 * d + i] * std::tanh(s.new_c[i]);
        break;
      case TwinRecurrent::kGru:
        const double z = t.keeps_old ? 1 - a[i] : a[i];
        s.new_h[i] = (1 - z) * h[i] + z * a[2 * d + i];
    }
  }
  return s;
}

std::vector<Step> Run::sequence(int b) const {
  const int begin =
      std::accumulate(t.lengths.begin(), t.lengths.begin() + b, 0);
  std::vector<Step> steps;
  Doubles h = part(in[kH0], b, t.width);
  Doubles c = in[kC0].empty() ? h : part(in[kC0], b, t.width);
  for (int i = 0; i < t.lengths[b]; ++i) {
    const int at = t.reverse ? t.lengths[b] - 1 - i : i;
    steps.push_back(step(begin + at, h, c));
    h = steps.back().new_h;
    c = steps.back().new_c;
  }
  return steps;
}

// Both return the gradient of W x + b; dc and dh become those of the old state,
// without what goes through W x + U h (the GRU adds all of it).
Doubles Run::lstm_back(const Step& s, const Doubles& dh, Doubles& dc) const {
  const int d = t.width;
  const Doubles& a = s.gates;
  Doubles da(4 * d);
  for (int k = 0; k < d; ++k) {
    const double i = a[k], f = a[d + k], o = a[2 * d + k], g = a[3 * d + k];
    const double y = std::tanh(s.new_c[k]);
    const double dcell = dc[k] + dh[k] * o * (1 - y * y);
    da[k] = dcell * g * i * (1 - i);
    da[d + k] = dcell * s.c[k] * f * (1 - f);
    da[2 * d + k] = dh[k] * y * o * (1 - o);
    da[3 * d + k] = dcell * i * (1 - g * g);
    dc[k] = dcell * f;
  }
  return da;
}

Doubles Run::gru_back(const Step& s, std::vector<Doubles>& grads,
                      Doubles& dh) const {
  const int d = t.width;
  const Doubles& a = s.gates;
  Doubles da(3 * d), old(d), dinner(d), dr(d), dreset(d);
  for (int k = 0; k < d; ++k) {
    const double z = a[k], r = a[d + k], n = a[2 * d + k];
    const double takes = t.keeps_old ? 1 - z : z;
    const double sign = t.keeps_old ? -1 : 1;
    old[k] = dh[k] * (1 - takes);
    da[k] = sign * dh[k] * (n - s.h[k]) * z * (1 - z);
    da[2 * d + k] = dh[k] * takes * (1 - n * n);
    dinner[k] = da[2 * d + k] * (t.reset_after ? r : 1);
    dr[k] = t.reset_after ? da[2 * d + k] * s.inner[k] : 0;
    if (t.reset_after) grads[kInnerB][k] += dinner[k];
  }
  add_product_gradient(in[kU], 2 * d, t.reset_after ? s.h : s.reset, dinner,
                       grads[kU], t.reset_after ? old : dreset);
  for (int k = 0; k < d; ++k) {
    const double r = a[d + k];
    old[k] += dreset[k] * r;
    da[d + k] = (dr[k] + dreset[k] * s.h[k]) * r * (1 - r);
  }
  const Doubles zr(da.begin(), da.begin() + 2 * d);
  add_product_gradient(in[kU], 0, s.h, zr, grads[kU], old);
  dh = old;
  return da;
}

void Run::back(const Step& s, std::vector<Doubles>& grads, Doubles& dh,
               Doubles& dc) const {
  Doubles da(t.width);
  if (t.cell == TwinRecurrent::kGru) {
    da = gru_back(s, grads, dh);
  } else {
    if (t.cell == TwinRecurrent::kLstm) da = lstm_back(s, dh, dc);
    for (int k = 0; t.cell == TwinRecurrent::kElman && k < t.width; ++k) {
      da[k] = dh[k] * (1 - s.new_h[k] * s.new_h[k]);
    }
    dh.assign(t.width, 0);
    add_product_gradient(in[kU], 0, s.h, da, grads[kU], dh);
  }
  Doubles dx(t.in);
  add_product_gradient(in[kW], 0, s.x, da, grads[kW], dx);
  for (int k = 0; k < t.in; ++k) grads[kX][s.row * t.in + k] += dx[k];
  for (size_t k = 0; k < da.size(); ++k) grads[kB][k] += da[k];
}

}  // namespace

int TwinRecurrent::tokens() const {
  return std::accumulate(lengths.begin(), lengths.end(), 0);
}

std::vector<int> TwinRecurrent::sizes() const {
  const int out = gates() * width, state = sequences() * width;
  return {tokens() * in,
          out * in,
          out * width,
          out,
          cell == kGru && reset_after ? width : 0,
          state,
          cell == kLstm ? state : 0};
}

Doubles TwinRecurrent::forward(const std::vector<Doubles>& inputs) const {
  const Run run{*this, inputs};
  const int n = tokens(), count = sequences();
  Doubles out((n + (cell == kLstm ? 2 : 1) * count) * width);
  for (int b = 0; b < count; ++b) {
    Doubles h = part(inputs[kH0], b, width);
    Doubles c = cell == kLstm ? part(inputs[kC0], b, width) : h;
    for (const Step& s : run.sequence(b)) {
      h = s.new_h;
      c = s.new_c;
      std::copy(h.begin(), h.end(), out.begin() + s.row * width);
    }
    std::copy(h.begin(), h.end(), out.begin() + (n + b) * width);
    if (cell != kLstm) continue;
    std::copy(c.begin(), c.end(), out.begin() + (n + count + b) * width);
  }
  return out;
}

std::vector<Doubles> TwinRecurrent::gradient(const std::vector<Doubles>& inputs,
                                             const Doubles& dy) const {
  const Run run{*this, inputs};
  const int n = tokens(), count = sequences();
  std::vector<Doubles> grads;
  for (int size : sizes()) grads.emplace_back(size);
  for (int b = 0; b < count; ++b) {
    Doubles dh = part(dy, n + b, width), dc(width);
    if (cell == kLstm) dc = part(dy, n + count + b, width);
    const std::vector<Step> steps = run.sequence(b);
    for (auto s = steps.rbegin(); s != steps.rend(); ++s) {
      for (int k = 0; k < width; ++k) dh[k] += dy[s->row * width + k];
      run.back(*s, grads, dh, dc);
    }
    for (int k = 0; k < width; ++k) {
      grads[kH0][b * width + k] += dh[k];
      if (cell == kLstm) grads[kC0][b * width + k] += dc[k];
    }
  }
  return grads;
}

}  // namespace fovea::testing
