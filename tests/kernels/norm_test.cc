#include "fovea/kernels/norm.h"

#include "support/compare.h"
#include "support/random.h"
#include "support/twin_norm.h"

namespace fovea::kernels {
namespace {

using namespace testing;  // NOLINT: the support library
using Kind = NormOptions::Kind;

Doubles rounded(int64_t count, uint64_t seed) {
  return to_double(random_floats(count, seed));
}

TEST(Norm, TwinGradientsAgreeWithCentralDifferences) {
  for (bool rms : {false, true}) {
    const TwinNorm twin{.cols = 5, .rms = rms};
    EXPECT_TRUE(twin_gradient_is_right(
        [&](const auto& in) { return twin(in[0], in[1], in[2]); },
        [&](const auto& in, const Doubles& dy) {
          const auto g = twin.backward(in[0], in[1], dy);
          return std::vector<Doubles>{g.x, g.gain, g.bias};
        },
        {random_doubles(15, 1), random_doubles(5, 2), random_doubles(5, 3)},
        random_doubles(15, 4)));
  }
}

// One problem in floats and its twin's answers.
struct Problem {
  Problem(int rows_, int cols_, Kind kind_)
      : rows(rows_),
        cols(cols_),
        twin{.cols = cols_, .rms = kind_ == Kind::kRms},
        x(rounded(rows * cols, 1)),
        gain(rounded(cols, 2)),
        bias(rounded(cols, 3)),
        dy(rounded(rows * cols, 4)),
        x32(to_float(x)),
        gain32(to_float(gain)),
        bias32(to_float(bias)),
        dy32(to_float(dy)),
        mean(rows),
        scale(rows),
        options{kind_, 1e-5f, gain32, bias32} {}

  ConstMatrixView view(const std::vector<float>& v) const {
    return {v.data(), rows, cols};
  }
  MatrixView view(std::vector<float>& v) const {
    return {v.data(), rows, cols};
  }

  int rows, cols;
  TwinNorm twin;
  Doubles x, gain, bias, dy;
  std::vector<float> x32, gain32, bias32, dy32, mean, scale;
  NormOptions options;
};

void compare_with_twin(int rows, int cols, Kind kind) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
  Problem p(rows, cols, kind);
  const NormStats stats{p.mean, p.scale};
  std::vector<float> y(rows * cols), dx(rows * cols, 1.0f), dgain(cols, 2.0f),
      dbias(cols, 3.0f);
  norm(p.view(p.x32), p.options, p.view(y), stats);
  EXPECT_TRUE(close(y, p.twin(p.x, p.gain, p.bias), 1e-5));

  NormBackward b{.sum = p.view(p.x32),
                 .dy = p.view(p.dy32),
                 .dsum = p.view(dx),
                 .dgain = dgain,
                 .dbias = dbias};
  norm_backward(b, p.options, stats);
  auto expected = p.twin.backward(p.x, p.gain, p.dy);
  EXPECT_TRUE(close(dx, expected.x, kGradientTolerance));
  for (double& v : expected.gain) v += 2;
  for (double& v : expected.bias) v += 3;
  EXPECT_TRUE(close(dgain, expected.gain, kGradientTolerance));
  EXPECT_TRUE(close(dbias, expected.bias, kGradientTolerance));

  std::vector<float> more(rows * cols, 1.0f);
  b.dsum = p.view(more);
  b.accumulate = true;
  b.dgain = b.dbias = {};
  norm_backward(b, p.options, stats);
  for (double& v : expected.x) v += 1;
  EXPECT_TRUE(close(more, expected.x, kGradientTolerance));
}

TEST(Norm, MatchesTheTwinOnEverySizeTargetAndThreadCount) {
  on_every_target([] {
    for (Kind kind : {Kind::kLayer, Kind::kRms}) {
      for (int cols : {2, 7, 8, 9, 33, 64}) compare_with_twin(3, cols, kind);
      compare_with_twin(0, 5, kind);
      with_threads({1, 2, 4}, [&](int) { compare_with_twin(301, 129, kind); });
    }
  });
}

TEST(Norm, HasTheNumbersOfTheSpecification) {
  const std::vector<float> x{1, 2, 4}, gain{.5f, 1, 2}, dy{1, -1, .5f};
  on_every_target([&] {
    std::vector<float> y(3), dx(3), mean(1), scale(1);
    const NormOptions options{.gain = gain};
    norm({x.data(), 1, 3}, options, {y.data(), 1, 3}, {mean, scale});
    EXPECT_TRUE(close(y, Doubles{-.534521, -.267260, 2.672604}, 1e-6));
    norm_backward({.sum = {x.data(), 1, 3},
                   .dy = {dy.data(), 1, 3},
                   .dsum = {dx.data(), 1, 3}},
                  options, {mean, scale});
    EXPECT_TRUE(close(dx, Doubles{.572699, -.859052, .286353}, 1e-5));
  });
}

TEST(Norm, StaysAccurateFarFromZero) {
  on_every_target([] {
    const int cols = 512;
    Doubles x(cols);
    for (int j = 0; j < cols; ++j) x[j] = 10000 + j % 7;
    const auto x32 = to_float(x);
    std::vector<float> y(cols), mean(1), scale(1);
    norm({x32.data(), 1, cols}, {}, {y.data(), 1, cols}, {mean, scale});
    const TwinNorm twin{.cols = cols};
    EXPECT_TRUE(
        close(y, twin(x, Doubles(cols, 1.0), Doubles(cols, 0.0)), 1e-3));
  });
}

void compare_residual(int rows, int cols, Kind kind, float rate) {
  Problem p(rows, cols, kind);
  const Dropout drop{rate, RandomKey(8).with("residual")};
  const auto f = random_floats(rows * cols, 9);
  Doubles sum = twin_dropout(to_double(f), rate, drop.key);
  for (int i = 0; i < rows * cols; ++i) sum[i] += p.x[i];

  const NormStats stats{p.mean, p.scale};
  std::vector<float> sum32(rows * cols), y(rows * cols);
  residual_norm({p.view(p.x32), p.view(f), drop, p.view(sum32), p.view(y)},
                p.options, stats);
  EXPECT_TRUE(close(sum32, sum, 1e-6));
  EXPECT_TRUE(close(y, p.twin(sum, p.gain, p.bias), 1e-5));

  // dsum holds what came through the residual path.
  const auto ds = random_floats(rows * cols, 10);
  std::vector<float> dsum = ds, df(rows * cols);
  NormBackward b{.sum = p.view(sum32),
                 .dy = p.view(p.dy32),
                 .dsum = p.view(dsum),
                 .accumulate = true,
                 .df = p.view(df),
                 .drop = drop};
  norm_backward(b, p.options, stats);
  Doubles expected = p.twin.backward(sum, p.gain, p.dy).x;
  for (int i = 0; i < rows * cols; ++i) expected[i] += ds[i];
  EXPECT_TRUE(close(dsum, expected, kGradientTolerance));
  const Doubles dropped = twin_dropout(expected, rate, drop.key);
  EXPECT_TRUE(close(df, dropped, kGradientTolerance));

  std::vector<float> again = ds, more(rows * cols, 1.0f);
  b.dsum = p.view(again);
  b.df = p.view(more);
  b.accumulate_f = true;
  norm_backward(b, p.options, stats);
  for (int i = 0; i < rows * cols; ++i) ASSERT_NEAR(more[i], 1 + df[i], 1e-5);
}

TEST(Norm, FusesResidualDropoutAndNorm) {
  on_every_target([] {
    for (Kind kind : {Kind::kLayer, Kind::kRms}) {
      for (float rate : {0.0f, 0.3f}) {
        for (int cols : {2, 7, 8, 9, 33}) compare_residual(4, cols, kind, rate);
        with_threads({1, 2, 4},
                     [&](int) { compare_residual(257, 136, kind, rate); });
      }
    }
  });
}

TEST(Norm, GivesTheSameBitsForAnyNumberOfThreads) {
  Problem p(700, 96, Kind::kLayer);
  std::vector<float> first_gain, first_x;
  with_threads({1, 2, 4}, [&](int threads) {
    const NormStats stats{p.mean, p.scale};
    std::vector<float> y(700 * 96), dx(700 * 96), dgain(96), dbias(96);
    norm(p.view(p.x32), p.options, p.view(y), stats);
    norm_backward({.sum = p.view(p.x32),
                   .dy = p.view(p.dy32),
                   .dsum = p.view(dx),
                   .dgain = dgain,
                   .dbias = dbias},
                  p.options, stats);
    if (threads == 1) first_gain = dgain, first_x = dx;
    EXPECT_TRUE(same_bits(dgain, first_gain));
    EXPECT_TRUE(same_bits(dx, first_x));
  });
}

TEST(Norm, WorksOnStridedViews) {
  on_every_target([] {
    const int rows = 3, cols = 10, stride = 13;
    const auto x = random_floats(rows * stride, 1);
    std::vector<float> y(rows * stride, 7.0f), mean(rows), scale(rows);
    std::vector<float> packed, alone(rows * cols);
    for (int i = 0; i < rows; ++i) {
      packed.insert(packed.end(), &x[i * stride], &x[i * stride] + cols);
    }
    norm({x.data(), rows, cols, stride}, {}, {y.data(), rows, cols, stride},
         {mean, scale});
    norm({packed.data(), rows, cols}, {}, {alone.data(), rows, cols},
         {mean, scale});
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < stride; ++j) {
        EXPECT_EQ(y[i * stride + j], j < cols ? alone[i * cols + j] : 7.0f);
      }
    }
  });
}

}  // namespace
}  // namespace fovea::kernels
