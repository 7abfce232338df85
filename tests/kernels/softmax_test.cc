#include "fovea/kernels/softmax.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "support/compare.h"
#include "support/random.h"
#include "support/twin_softmax.h"

namespace fovea::kernels {
namespace {

using namespace testing;  // NOLINT: the support library

constexpr float kMasked = -std::numeric_limits<float>::infinity();

std::vector<int> offsets_of(const std::vector<int>& lengths) {
  std::vector<int> offsets{0};
  for (int length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

TEST(Softmax, TwinGradientsAgreeWithCentralDifferences) {
  const std::vector<int> lengths{3, 0, 1, 5};
  EXPECT_TRUE(twin_gradient_is_right(
      [&](const auto& in) { return twin_softmax(in[0], lengths); },
      [&](const auto& in, const Doubles& dy) {
        return std::vector<Doubles>{twin_softmax_backward(in[0], dy, lengths)};
      },
      {random_doubles(9, 1)}, random_doubles(9, 2)));
  EXPECT_TRUE(twin_gradient_is_right(
      [&](const auto& in) { return twin_log_softmax(in[0], lengths); },
      [&](const auto& in, const Doubles& dy) {
        return std::vector<Doubles>{
            twin_log_softmax_backward(in[0], dy, lengths)};
      },
      {random_doubles(9, 1)}, random_doubles(9, 2)));
}

void compare_with_twin(const Doubles& x, const std::vector<int>& lengths) {
  const Doubles dy = random_doubles(x.size(), 2);
  const auto x32 = to_float(x), dy32 = to_float(dy);
  const auto offsets = offsets_of(lengths);
  const RaggedRows rows{std::span<const int>(offsets)};
  std::vector<float> y(x.size()), dx(x.size()), more(x.size(), 1.0f);

  softmax(x32.data(), rows, y.data());
  EXPECT_TRUE(close(y, twin_softmax(x, lengths), 1e-6));
  softmax_backward(y.data(), dy32.data(), rows, dx.data(), false);
  EXPECT_TRUE(
      close(dx, twin_softmax_backward(x, dy, lengths), kGradientTolerance));
  softmax_backward(y.data(), dy32.data(), rows, more.data(), true);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(more[i], 1 + dx[i], 1e-6);

  log_softmax(x32.data(), rows, y.data());
  EXPECT_TRUE(close(y, twin_log_softmax(x, lengths), 1e-6));
  log_softmax_backward(y.data(), dy32.data(), rows, dx.data(), false);
  EXPECT_TRUE(
      close(dx, twin_log_softmax_backward(x, dy, lengths), kGradientTolerance));
}

TEST(Softmax, MatchesTheTwinOverRaggedRows) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      compare_with_twin({}, {});
      compare_with_twin({}, {0, 0});
      std::vector<int> lengths = random_lengths(60, 0, 80, 3);
      for (int special : {1, 7, 8, 9, 33, 1000}) lengths.push_back(special);
      const int total = std::accumulate(lengths.begin(), lengths.end(), 0);
      Doubles x = random_doubles(total, 1);
      for (double& v : x) v = static_cast<float>(3 * v);
      compare_with_twin(x, lengths);
    });
  });
}

TEST(Softmax, MasksMinusInfinityAndGivesZerosToARowWithoutEntries) {
  on_every_target([] {
    for (int n : {1, 2, 7, 8, 9, 33}) {
      Doubles x = random_doubles(2 * n, 1);
      for (int i = 0; i < n; ++i) {
        x[i] = i % 3 == 1 ? kMasked : static_cast<float>(x[i]);
      }
      std::fill(x.begin() + n, x.end(), kMasked);
      const Doubles dy = random_doubles(2 * n, 2);
      const auto x32 = to_float(x), dy32 = to_float(dy);
      const RaggedRows rows(2, n, n);
      std::vector<float> y(2 * n), dx(2 * n);
      softmax(x32.data(), rows, y.data());
      EXPECT_TRUE(close(y, twin_softmax(x, {n, n}), 1e-6));
      softmax_backward(y.data(), dy32.data(), rows, dx.data(), false);
      EXPECT_TRUE(
          close(dx, twin_softmax_backward(x, dy, {n, n}), kGradientTolerance));
      log_softmax(x32.data(), rows, y.data());
      for (int i = n; i < 2 * n; ++i) EXPECT_EQ(y[i], kMasked);
      log_softmax_backward(y.data(), dy32.data(), rows, dx.data(), false);
      EXPECT_TRUE(close(dx, twin_log_softmax_backward(x, dy, {n, n}),
                        kGradientTolerance));
    }
  });
}

TEST(Softmax, HasTheNumbersOfTheSpecification) {
  const std::vector<float> x{1, 2, 3}, dy{1, 0, 0};
  on_every_target([&] {
    std::vector<float> y(3), dx(3);
    softmax(x.data(), RaggedRows(1, 3, 3), y.data());
    EXPECT_TRUE(close(y, Doubles{0.09003057, 0.24472847, 0.66524096}, 1e-6));
    softmax_backward(y.data(), dy.data(), RaggedRows(1, 3, 3), dx.data(),
                     false);
    EXPECT_TRUE(close(dx, Doubles{0.08192507, -0.02203304, -0.05989202}, 1e-6));
  });
}

TEST(Softmax, DoesNotOverflowAndIgnoresAConstant) {
  on_every_target([] {
    const std::vector<float> x{1000, 1001, 999}, z{0, 1, -1};
    std::vector<float> y(3), w(3);
    softmax(x.data(), RaggedRows(1, 3, 3), y.data());
    softmax(z.data(), RaggedRows(1, 3, 3), w.data());
    EXPECT_TRUE(same_bits(y, w));
  });
}

TEST(Softmax, TouchesOnlyTheFirstEntriesOfARowWithALength) {
  on_every_target([] {
    const std::vector<int> lengths{0, 2, 5, 3};
    const auto x = random_floats(20, 1);
    std::vector<float> y(20, 7.0f);
    softmax(x.data(), RaggedRows(lengths, 5), y.data());
    for (int i = 0; i < 4; ++i) {
      float sum = 0;
      for (int j = 0; j < 5; ++j) {
        if (j < lengths[i]) {
          sum += y[5 * i + j];
        } else {
          EXPECT_EQ(y[5 * i + j], 7.0f);
        }
      }
      EXPECT_NEAR(sum, lengths[i] ? 1 : 0, 1e-6);
    }
  });
}

}  // namespace
}  // namespace fovea::kernels
