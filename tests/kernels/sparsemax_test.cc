#include "fovea/kernels/sparsemax.h"

#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "support/compare.h"
#include "support/random.h"
#include "support/twin_sparsemax.h"

namespace fovea::kernels {
namespace {

using namespace testing;  // NOLINT: the support library

constexpr float kMasked = -std::numeric_limits<float>::infinity();

struct Projection {
  const char* name;
  void (*forward)(const float*, const RaggedRows&, float*);
  void (*backward)(const float*, const float*, const RaggedRows&, float*, bool);
  Doubles (*twin)(const Doubles&, const std::vector<int>&);
  Doubles (*twin_backward)(const Doubles&, const Doubles&,
                           const std::vector<int>&);
};

constexpr Projection kProjections[] = {
    {"sparsemax", sparsemax, sparsemax_backward, twin_sparsemax,
     twin_sparsemax_backward},
    {"entmax15", entmax15, entmax15_backward, twin_entmax15,
     twin_entmax15_backward},
};

std::vector<int> offsets_of(const std::vector<int>& lengths) {
  std::vector<int> offsets{0};
  for (int length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

std::vector<float> weights_of(const Projection& p,
                              const std::vector<float>& x) {
  const auto n = static_cast<int64_t>(x.size());
  std::vector<float> y(x.size());
  p.forward(x.data(), RaggedRows(1, n, n), y.data());
  return y;
}

TEST(Sparsemax, TwinGradientsAgreeWithCentralDifferences) {
  const std::vector<int> lengths{3, 0, 1, 5};
  for (const Projection& p : kProjections) {
    SCOPED_TRACE(p.name);
    EXPECT_TRUE(twin_gradient_is_right(
        [&](const auto& in) { return p.twin(in[0], lengths); },
        [&](const auto& in, const Doubles& dy) {
          return std::vector<Doubles>{p.twin_backward(in[0], dy, lengths)};
        },
        {random_doubles(9, 1)}, random_doubles(9, 2)));
  }
}

void compare_with_twin(const Projection& p, const Doubles& x,
                       const std::vector<int>& lengths) {
  const Doubles dy = random_doubles(x.size(), 2);
  const auto x32 = to_float(x), dy32 = to_float(dy);
  const auto offsets = offsets_of(lengths);
  const RaggedRows rows{std::span<const int>(offsets)};
  std::vector<float> y(x.size()), dx(x.size()), more(x.size(), 1.0f);
  p.forward(x32.data(), rows, y.data());
  EXPECT_TRUE(close(y, p.twin(to_double(x32), lengths), 2e-6));
  p.backward(y.data(), dy32.data(), rows, dx.data(), false);
  EXPECT_TRUE(close(dx, p.twin_backward(to_double(x32), dy, lengths), 1e-3));
  p.backward(y.data(), dy32.data(), rows, more.data(), true);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(more[i], 1 + dx[i], 1e-6);
}

TEST(Sparsemax, MatchesTheTwinOverRaggedRows) {
  std::vector<int> lengths = random_lengths(60, 0, 80, 3);
  for (int special : {1, 7, 8, 9, 33, 1000}) lengths.push_back(special);
  const int total = std::accumulate(lengths.begin(), lengths.end(), 0);
  for (const Projection& p : kProjections) {
    SCOPED_TRACE(p.name);
    on_every_target([&] {
      with_threads({1, 2, 4}, [&](int) {
        compare_with_twin(p, {}, {});
        compare_with_twin(p, {}, {0, 0});
        for (double scale : {0.01, 0.3, 3.0}) {
          Doubles x = random_doubles(total, 1);
          for (double& v : x) v *= scale;
          compare_with_twin(p, x, lengths);
        }
      });
    });
  }
}

TEST(Sparsemax, MasksMinusInfinityAndGivesZerosToARowWithoutEntries) {
  for (const Projection& p : kProjections) {
    on_every_target([&] {
      for (int n : {1, 2, 7, 8, 9, 33}) {
        Doubles x = random_doubles(2 * n, 1);
        for (int i = 0; i < n; ++i) x[i] = i % 3 == 1 ? kMasked : x[i];
        std::fill(x.begin() + n, x.end(), kMasked);
        compare_with_twin(p, x, {n, n});
      }
    });
  }
}

// SPEC A15, and a row in which all of entmax's support is easy to work out.
TEST(Sparsemax, HasTheNumbersOfTheSpecification) {
  on_every_target([] {
    EXPECT_TRUE(close(weights_of(kProjections[0], {0.1f, 1.1f, 0.2f}),
                      Doubles{0, 0.95, 0.05}, 1e-6));
    EXPECT_EQ(weights_of(kProjections[0], {0.1f, 1.1f, 0.2f})[0], 0.0f);
    // Halves 0 and 0.5: (0 - t)^2 + (0.5 - t)^2 = 1 for t = 1/4 - sqrt(7)/4.
    const double t = (1 - std::sqrt(7.0)) / 4;
    EXPECT_TRUE(close(weights_of(kProjections[1], {0, 1}),
                      Doubles{t * t, (0.5 - t) * (0.5 - t)}, 1e-6));
  });
}

TEST(Sparsemax, DoesNotOverflowAndIgnoresAConstant) {
  for (const Projection& p : kProjections) {
    on_every_target([&] {
      EXPECT_TRUE(same_bits(weights_of(p, {1000, 1001, 999}),
                            weights_of(p, {0, 1, -1})));
      EXPECT_TRUE(close(weights_of(p, {1e30f, -1e30f, 1e30f}),
                        Doubles{0.5, 0, 0.5}, 1e-6));
    });
  }
}

TEST(Sparsemax, SumsToOneWhateverTheRow) {
  for (const Projection& p : kProjections) {
    EXPECT_TRUE(rc::check([&] {
      const auto exponent = *rc::gen::inRange(-8, 5);
      std::vector<float> x;
      for (int v : *rc::gen::nonEmpty<std::vector<int>>(
               rc::gen::container<std::vector<int>>(
                   rc::gen::inRange(-1000, 1000)))) {
        x.push_back(std::ldexp(static_cast<float>(v), exponent));
      }
      const auto y = weights_of(p, x);
      float sum = 0;
      for (float v : y) {
        RC_ASSERT(v >= 0);
        sum += v;
      }
      RC_ASSERT(std::abs(sum - 1) < 1e-5f);
    }));
  }
}

}  // namespace
}  // namespace fovea::kernels
