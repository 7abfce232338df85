#include "fovea/kernels/optim.h"

#include <cmath>

#include "support/compare.h"
#include "support/random.h"
#include "support/twin_optim.h"

namespace fovea::kernels {
namespace {

using namespace fovea::testing;

// One parameter, f(p) = p^2 / 2: the gradient is the parameter itself. Runs
// three steps from p = 1 and returns p after each.
template <class Rule>
std::vector<double> trace(Rule rule) {
  float p = 1, g = 0, s0 = 0, s1 = 0, s2 = 0;
  std::vector<double> out;
  for (int step = 1; step <= 3; ++step) {
    g = p;
    const OptimTensor tensor{{&p, 1}, {&g, 1}, {&s0, 1}, {&s1, 1}, {&s2, 1}};
    rule(std::span(&tensor, 1), step);
    out.push_back(p);
  }
  return out;
}

// The numbers below were worked out by hand from the papers' formulas.
TEST(Optim, FollowsHandComputedTracesOnAQuadratic) {
  on_every_target([] {
    EXPECT_TRUE(close(
        trace([](auto tensors, int) { sgd(tensors, {.rate = 0.1f}, {}); }),
        Doubles{0.9, 0.81, 0.729}, 1e-6));
    EXPECT_TRUE(close(trace([](auto tensors, int) {
                        sgd(tensors, {.rate = 0.1f}, {.momentum = 0.5f});
                      }),
                      Doubles{0.9, 0.76, 0.614}, 1e-6));
    EXPECT_TRUE(close(trace([](auto tensors, int) {
                        sgd(tensors, {.rate = 0.1f},
                            {.momentum = 0.5f, .nesterov = true});
                      }),
                      Doubles{0.85, 0.6975, 0.559125}, 1e-6));
    // Sums of squares 1, 1.81, 2.504061.
    EXPECT_TRUE(close(trace([](auto tensors, int) {
                        adagrad(tensors, {.rate = 0.1f}, {.epsilon = 0});
                      }),
                      Doubles{0.9, 0.833103527, 0.780456181}, 1e-6));
    // Running means 0.5, 0.618579, 0.590100.
    EXPECT_TRUE(close(trace([](auto tensors, int) {
                        rmsprop(tensors, {.rate = 0.1f},
                                {.decay = 0.5f, .epsilon = 0});
                      }),
                      Doubles{0.858578644, 0.749413844, 0.651856729}, 1e-6));
    EXPECT_TRUE(close(trace([](auto tensors, int) {
                        adadelta(tensors, {.rate = 1.0f},
                                 {.decay = 0.5f, .epsilon = 0.01f});
                      }),
                      Doubles{0.859971992, 0.707473031, 0.554862503}, 1e-6));
  });
}

TEST(Optim, FirstAdamStepIsTheLearningRateInEveryCoordinate) {
  on_every_target([] {
    std::vector<float> p(37, 0.0f), g = random_floats(37, 1), m(37), v(37);
    const OptimTensor tensor{p, g, m, v};
    adam({&tensor, 1}, {.rate = 0.01f}, {});
    for (size_t i = 0; i < p.size(); ++i) {
      EXPECT_NEAR(p[i], g[i] > 0 ? -0.01 : 0.01, 1e-8);
    }
  });
}

TEST(Optim, FollowsHandComputedAdamTraces) {
  on_every_target([] {
    // Corrected means 1, 0.933333, 0.857216 of g and 1, 0.873333, 0.740116 of
    // its square.
    EXPECT_TRUE(close(trace([](auto tensors, int step) {
                        adam(tensors, {.number = step, .rate = 0.1f},
                             {.beta1 = 0.5f, .beta2 = 0.5f, .epsilon = 0});
                      }),
                      Doubles{0.9, 0.800127307, 0.700485854}, 1e-6));
  });
}

// Runs `ours` on tensors of many sizes against `twin` on each parameter.
template <class Ours, class TwinRule>
void expect_like_twin(Ours ours, TwinRule twin) {
  const std::vector<int> sizes = {1, 7, 0, 8, 9, 33, 4096, 4097, 9001};
  std::vector<std::vector<float>> p, g, s0, s1, s2;
  std::vector<std::vector<TwinParam>> expected;
  for (int size : sizes) {
    p.push_back(random_floats(size, size));
    g.push_back(p.back());
    for (auto* s : {&s0, &s1, &s2}) s->emplace_back(size, 0.0f);
    expected.emplace_back(size);
    for (int i = 0; i < size; ++i) expected.back()[i].p = p.back()[i];
  }
  for (int step = 1; step <= 3; ++step) {
    std::vector<OptimTensor> tensors;
    for (size_t k = 0; k < sizes.size(); ++k) {
      g[k] = random_floats(sizes[k], 100 * step + k);
      tensors.push_back({p[k], g[k], s0[k], s1[k], s2[k], k % 2 == 0});
      for (int i = 0; i < sizes[k]; ++i) {
        twin(expected[k][i], double{g[k][i]}, step, tensors[k].decays);
      }
    }
    ours(std::span<const OptimTensor>(tensors), step);
  }
  for (size_t k = 0; k < sizes.size(); ++k) {
    Doubles parameter, first;
    for (const TwinParam& x : expected[k]) {
      parameter.push_back(x.p);
      first.push_back(x.s0);
    }
    EXPECT_TRUE(close(p[k], parameter, 2e-6)) << "tensor " << k;
    EXPECT_TRUE(close(s0[k], first, 2e-6)) << "tensor " << k;
  }
}

TEST(Optim, EqualsItsTwinsOnTensorsOfAllSizes) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      expect_like_twin(
          [](auto t, int) { sgd(t, {.rate = 0.1f}, {.momentum = 0.5f}); },
          [](TwinParam& x, double g, int, bool) {
            twin_sgd(x, g, 0.1f, 0.5, false);
          });
      expect_like_twin(
          [](auto t, int) {
            sgd(t, {.rate = 0.1f}, {.momentum = 0.5f, .nesterov = true});
          },
          [](TwinParam& x, double g, int, bool) {
            twin_sgd(x, g, 0.1f, 0.5, true);
          });
      expect_like_twin([](auto t, int) { adagrad(t, {.rate = 0.1f}, {}); },
                       [](TwinParam& x, double g, int, bool) {
                         twin_adagrad(x, g, 0.1f, 1e-10f);
                       });
      expect_like_twin([](auto t, int) { rmsprop(t, {.rate = 0.1f}, {}); },
                       [](TwinParam& x, double g, int, bool) {
                         twin_rmsprop(x, g, 0.1f, 0.99f, 1e-8f);
                       });
      expect_like_twin([](auto t, int) { adadelta(t, {.rate = 1.0f}, {}); },
                       [](TwinParam& x, double g, int, bool) {
                         twin_adadelta(x, g, 1, 0.95f, 1e-6f);
                       });
    });
  });
}

TEST(Optim, AdamEqualsItsTwinInAllForms) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      for (bool decoupled : {false, true}) {
        for (bool amsgrad : {false, true}) {
          expect_like_twin(
              [=](auto t, int step) {
                adam(t,
                     {.number = step,
                      .rate = 0.01f,
                      .grad_scale = 0.5f,
                      .weight_decay = 0.125f},
                     {.decoupled = decoupled, .amsgrad = amsgrad});
              },
              [=](TwinParam& x, double g, int step, bool decays) {
                twin_adam(x, g / 2, step,
                          {0.01f, 0.9f, 0.98f, 1e-9f, decays ? 0.125 : 0.0,
                           decoupled, amsgrad});
              });
        }
      }
    });
  });
}

TEST(Optim, DoesNotDependOnTheNumberOfThreads) {
  std::vector<float> first;
  with_threads({1, 2, 3, 4}, [&](int) {
    std::vector<float> p = random_floats(100003, 1), m(p.size()), v(p.size());
    const std::vector<float> g = random_floats(100003, 2);
    const OptimTensor tensor{p, g, m, v};
    adam({&tensor, 1}, {}, {});
    if (first.empty()) first = p;
    EXPECT_TRUE(same_bits(p, first));
  });
}

TEST(Optim, StepsNothingWhenThereIsNothing) {
  adam({}, {}, {});
  const OptimTensor empty;
  adam({&empty, 1}, {}, {});
}

}  // namespace
}  // namespace fovea::kernels
