#pragma once

#include "support/gradients.h"

namespace fovea::testing {

// Optimisers in double, one parameter at a time, as their papers write them.
struct TwinParam {
  double p = 0, s0 = 0, s1 = 0, s2 = 0;
};

struct TwinAdam {
  double rate, beta1, beta2, epsilon, decay = 0;
  bool decoupled = true, amsgrad = false;
};
void twin_adam(TwinParam& x, double g, int step, const TwinAdam& options);

void twin_sgd(TwinParam& x, double g, double rate, double momentum,
              bool nesterov);
void twin_adagrad(TwinParam& x, double g, double rate, double epsilon);
void twin_rmsprop(TwinParam& x, double g, double rate, double decay,
                  double epsilon);
void twin_adadelta(TwinParam& x, double g, double rate, double decay,
                   double epsilon);

// Shazeer & Stern 2018, algorithms 4 and 6, on a matrix [rows, cols].
struct TwinAdafactor {
  double rate = 1e-2, decay_power = 0.8, epsilon = 1e-30, scale_floor = 1e-3,
         clip = 1.0;
  bool factored = true, scale_by_param = true;
};
struct TwinAdafactorState {
  Doubles row, col, full;
};
void twin_adafactor(Doubles& p, const Doubles& g, int cols, int step,
                    TwinAdafactorState& state, const TwinAdafactor& options);

}  // namespace fovea::testing
