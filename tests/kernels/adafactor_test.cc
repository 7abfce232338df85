#include "fovea/kernels/adafactor.h"

#include "support/compare.h"
#include "support/random.h"
#include "support/twin_optim.h"

namespace fovea::kernels {
namespace {

using namespace fovea::testing;

struct Case {
  int rows, cols;
  double rate;
  bool scale_by_param;
};

void expect_like_twin(const Case& c) {
  SCOPED_TRACE(::testing::Message() << c.rows << " x " << c.cols);
  const int size = c.rows * c.cols;
  std::vector<float> p = random_floats(size, 1);
  std::vector<float> rows(c.rows > 1 ? c.rows : 0), cols(c.cols);
  Doubles expected = to_double(p);
  TwinAdafactorState state;
  for (int step = 1; step <= 3; ++step) {
    const std::vector<float> g = random_floats(size, 10 + step);
    const AdafactorTensor tensor{{p.data(), c.rows, c.cols}, g, rows, cols};
    adafactor({&tensor, 1},
              {.number = step,
               .rate = static_cast<float>(c.rate),
               .grad_scale = 0.5f},
              {.scale_by_param = c.scale_by_param});
    Doubles halved = to_double(g);
    for (double& v : halved) v /= 2;
    twin_adafactor(expected, halved, c.cols, step, state,
                   {.rate = static_cast<float>(c.rate),
                    .factored = c.rows > 1,
                    .scale_by_param = c.scale_by_param});
  }
  EXPECT_TRUE(close(p, expected, 3e-6));
  if (c.rows > 1) {
    EXPECT_TRUE(close(rows, state.row, 1e-5));
    EXPECT_TRUE(close(cols, state.col, 1e-5));
  } else {
    EXPECT_TRUE(close(cols, state.full, 1e-5));
  }
}

TEST(Adafactor, EqualsItsTwinOnMatricesAndVectors) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      expect_like_twin({1, 1, 0.01, true});
      expect_like_twin({1, 9, 0.01, true});
      expect_like_twin({1, 5001, 0.125, false});
      expect_like_twin({7, 1, 0.01, true});
      expect_like_twin({2, 33, 0.01, true});
      expect_like_twin({67, 129, 0.125, false});
      expect_like_twin({129, 67, 0.01, true});
    });
  });
}

// Gradient [[1, 2], [3, 4]]: row means 2.5, 12.5, column means 5, 10, mean 7.5;
// v = [[5/3, 10/3], [25/3, 50/3]]; update g/sqrt(v) with root mean square
// 0.97979..., below the clip.
TEST(Adafactor, FollowsAHandComputedStep) {
  std::vector<float> p = {1, 1, 1, 1}, rows(2), cols(2);
  const std::vector<float> g = {1, 2, 3, 4};
  const AdafactorTensor tensor{{p.data(), 2, 2}, g, rows, cols};
  adafactor({&tensor, 1}, {.rate = 0.1f}, {});
  EXPECT_TRUE(close(rows, Doubles{2.5, 12.5}, 1e-6));
  EXPECT_TRUE(close(cols, Doubles{5, 10}, 1e-6));
  EXPECT_TRUE(close(p,
                    Doubles{1 - 0.0774596669, 1 - 0.1095445115,
                            1 - 0.1039230485, 1 - 0.0979795897},
                    1e-6));
}

TEST(Adafactor, DecaysWeightsBesideTheUpdate) {
  std::vector<float> p = {2, -2}, cols(2);
  const std::vector<float> g = {0, 0};
  const AdafactorTensor tensor{{p.data(), 1, 2}, g, {}, cols};
  adafactor({&tensor, 1}, {.rate = 0.5f, .weight_decay = 0.5f}, {});
  EXPECT_TRUE(close(p, Doubles{1.5, -1.5}, 1e-6));
}

TEST(Adafactor, LeavesNothingUndefinedForEmptyTensors) {
  adafactor({}, {}, {});
  std::vector<float> cols(4);
  const AdafactorTensor empty{{nullptr, 0, 4}, {}, {}, cols};
  adafactor({&empty, 1}, {}, {});
}

}  // namespace
}  // namespace fovea::kernels
