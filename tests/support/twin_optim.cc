#include "support/twin_optim.h"

#include <algorithm>
#include <cmath>

namespace fovea::testing {

void twin_adam(TwinParam& x, double g, int step, const TwinAdam& options) {
  if (!options.decoupled) g += options.decay * x.p;
  x.s0 = options.beta1 * x.s0 + (1 - options.beta1) * g;
  x.s1 = options.beta2 * x.s1 + (1 - options.beta2) * g * g;
  x.s2 = std::max(x.s2, x.s1);
  const double m = x.s0 / (1 - std::pow(options.beta1, step));
  const double v =
      (options.amsgrad ? x.s2 : x.s1) / (1 - std::pow(options.beta2, step));
  double move = m / (std::sqrt(v) + options.epsilon);
  if (options.decoupled) move += options.decay * x.p;
  x.p -= options.rate * move;
}

void twin_sgd(TwinParam& x, double g, double rate, double momentum,
              bool nesterov) {
  x.s0 = momentum * x.s0 + g;
  x.p -= rate * (nesterov ? g + momentum * x.s0 : x.s0);
}

void twin_adagrad(TwinParam& x, double g, double rate, double epsilon) {
  x.s0 += g * g;
  x.p -= rate * g / (std::sqrt(x.s0) + epsilon);
}

void twin_rmsprop(TwinParam& x, double g, double rate, double decay,
                  double epsilon) {
  x.s0 = decay * x.s0 + (1 - decay) * g * g;
  x.p -= rate * g / (std::sqrt(x.s0) + epsilon);
}

void twin_adadelta(TwinParam& x, double g, double rate, double decay,
                   double epsilon) {
  x.s0 = decay * x.s0 + (1 - decay) * g * g;
  const double move = std::sqrt(x.s1 + epsilon) / std::sqrt(x.s0 + epsilon) * g;
  x.s1 = decay * x.s1 + (1 - decay) * move * move;
  x.p -= rate * move;
}

namespace {

double rms(const Doubles& x) {
  double sum = 0;
  for (double v : x) sum += v * v;
  return std::sqrt(sum / static_cast<double>(x.size()));
}

// The estimate of g^2, element by element, after updating the state.
Doubles second_moment(const Doubles& g, int cols, double beta,
                      TwinAdafactorState& state, const TwinAdafactor& options) {
  const int rows = static_cast<int>(g.size()) / cols;
  Doubles v(g.size());
  if (!options.factored) {
    state.full.resize(g.size());
    for (size_t i = 0; i < g.size(); ++i) {
      const double square = g[i] * g[i] + options.epsilon;
      v[i] = state.full[i] = beta * state.full[i] + (1 - beta) * square;
    }
    return v;
  }
  state.row.resize(rows);
  state.col.resize(cols);
  Doubles row(rows), col(cols);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      const double square = g[i * cols + j] * g[i * cols + j] + options.epsilon;
      row[i] += square / cols;
      col[j] += square / rows;
    }
  }
  double mean = 0;
  for (int i = 0; i < rows; ++i) {
    state.row[i] = beta * state.row[i] + (1 - beta) * row[i];
    mean += state.row[i] / rows;
  }
  for (int j = 0; j < cols; ++j) {
    state.col[j] = beta * state.col[j] + (1 - beta) * col[j];
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      v[i * cols + j] = state.row[i] * state.col[j] / mean;
    }
  }
  return v;
}

}  // namespace

void twin_adafactor(Doubles& p, const Doubles& g, int cols, int step,
                    TwinAdafactorState& state, const TwinAdafactor& options) {
  const double beta = 1 - std::pow(step, -options.decay_power);
  const Doubles v = second_moment(g, cols, beta, state, options);
  Doubles update(g.size());
  for (size_t i = 0; i < g.size(); ++i) update[i] = g[i] / std::sqrt(v[i]);
  const double too_long = std::max(1.0, rms(update) / options.clip);
  const double scale =
      options.scale_by_param ? std::max(options.scale_floor, rms(p)) : 1.0;
  for (size_t i = 0; i < g.size(); ++i) {
    p[i] -= options.rate * scale * update[i] / too_long;
  }
}

}  // namespace fovea::testing
