#include "fovea/kernels/additive.h"

#include <cmath>

#include "support/compare.h"
#include "support/random.h"
#include "support/twin_additive.h"

namespace fovea::kernels {
namespace {

using testing::close;
using testing::Doubles;
using testing::kGradientTolerance;
using testing::mixed_pairs;
using testing::on_every_target;
using testing::random_doubles;
using testing::random_floats;
using testing::same_bits;
using testing::to_double;
using testing::twin_additive;
using testing::twin_additive_gradient;
using testing::twin_gradient_is_right;
using testing::TwinPairs;
using testing::with_threads;

using Floats = std::vector<float>;

// q, k, v, and coverage and its weight or neither.
std::vector<Floats> random_inputs(const TwinPairs& twin, bool covered) {
  const int64_t width = int64_t{twin.heads} * twin.d;
  std::vector<Floats> inputs{random_floats(twin.queries(), 1),
                             random_floats(twin.keys(), 2),
                             random_floats(width, 3)};
  if (covered) {
    inputs.push_back(random_floats(twin.size(), 4));
    inputs.push_back(random_floats(width, 5));
  }
  return inputs;
}

std::vector<Doubles> to_doubles(const std::vector<Floats>& inputs) {
  std::vector<Doubles> result;
  for (const Floats& input : inputs) result.push_back(to_double(input));
  return result;
}

AdditiveInputs view(const TwinPairs& twin, const std::vector<Floats>& in) {
  AdditiveInputs inputs{
      .q = {in[0].data(), twin.query_rows(), twin.heads * twin.d},
      .k = {in[1].data(), twin.key_rows, twin.key_heads * twin.d},
      .v = in[2]};
  if (in.size() == 5) {
    inputs.coverage = in[3].data();
    inputs.coverage_weight = in[4];
  }
  return inputs;
}

Floats scores(const TwinPairs& twin, const std::vector<Floats>& in) {
  Floats s(twin.size(), 7.0f);
  additive_forward(view(twin, in), twin.layout(), s.data());
  return s;
}

// `start` is what the gradients begin with.
std::vector<Floats> gradients(const TwinPairs& twin,
                              const std::vector<Floats>& in, const Floats& ds,
                              float start = 0.0f) {
  std::vector<Floats> dx;
  for (const Floats& input : in) dx.emplace_back(input.size(), start);
  const AdditiveInputs inputs = view(twin, in);
  AdditiveGradients to{.dq = {dx[0].data(), inputs.q.rows, inputs.q.cols},
                       .dk = {dx[1].data(), inputs.k.rows, inputs.k.cols},
                       .dv = dx[2]};
  if (in.size() == 5) {
    to.dcoverage = dx[3].data();
    to.dcoverage_weight = dx[4];
  }
  additive_backward(inputs, twin.layout(), ds.data(), to);
  return dx;
}

void expect_like_twin(const TwinPairs& twin, bool covered) {
  const auto in = random_inputs(twin, covered);
  const Floats ds = random_floats(twin.size(), 9);
  const Doubles expected = twin_additive(twin, to_doubles(in));
  const auto slopes =
      twin_additive_gradient(twin, to_doubles(in), to_double(ds));
  on_every_target([&] {
    const Floats s = scores(twin, in);
    const auto dx = gradients(twin, in, ds);
    EXPECT_TRUE(close(s, expected, 1e-5));
    for (size_t i = 0; i < in.size(); ++i) {
      SCOPED_TRACE(i);
      EXPECT_TRUE(close(dx[i], slopes[i], kGradientTolerance));
    }
    with_threads({1, 2, 4}, [&](int) {
      EXPECT_TRUE(same_bits(scores(twin, in), s));
      const auto again = gradients(twin, in, ds);
      for (size_t i = 0; i < in.size(); ++i) {
        EXPECT_TRUE(same_bits(again[i], dx[i]));
      }
    });
  });
}

TEST(TwinAdditive, HasTheGradientOfItsDifferences) {
  const TwinPairs twin({{0, 3}, {1, 2}, {3, 0}, {0, 1}}, 4, 2, 3);
  const auto inputs = to_doubles(random_inputs(twin, true));
  EXPECT_TRUE(twin_gradient_is_right(
      [&](const auto& in) { return twin_additive(twin, in); },
      [&](const auto& in, const auto& ds) {
        return twin_additive_gradient(twin, in, ds);
      },
      inputs, random_doubles(twin.size(), 9)));
}

TEST(Additive, MatchesTheTwinOnOddSizes) {
  for (int d : {1, 3, 7, 8, 9, 16, 33, 64, 130}) {
    for (bool covered : {false, true}) {
      SCOPED_TRACE(::testing::Message() << d << " " << covered);
      expect_like_twin(TwinPairs(mixed_pairs(), 1, 1, d), covered);
    }
  }
}

TEST(Additive, MatchesTheTwinWithManyHeads) {
  for (int key_heads : {1, 2, 4}) {
    for (bool covered : {false, true}) {
      SCOPED_TRACE(::testing::Message() << key_heads << " " << covered);
      expect_like_twin(TwinPairs(mixed_pairs(), 4, key_heads, 21), covered);
    }
  }
}

TEST(Additive, IsFineWithoutRowsAndWithoutKeys) {
  expect_like_twin(TwinPairs({}, 2, 1, 8), true);
  expect_like_twin(TwinPairs({{0, 0}, {5, 0}}, 2, 1, 8), false);
}

TEST(Additive, HasTheNumbersOfTheSpecification) {
  const TwinPairs twin({{0, 2}}, 1, 1, 2);
  const std::vector<Floats> in{{0.5f, 0}, {0.5f, 0, -0.5f, 0}, {1, -1}};
  on_every_target([&] {
    EXPECT_TRUE(close(scores(twin, in), Doubles{0.7615942, 0}, 1e-6));
  });
}

TEST(Additive, StaysFiniteAtLargeNumbers) {
  const TwinPairs twin({{0, 3}}, 1, 1, 3);
  const Floats large{1e30f, -1e30f, 3e38f};
  const std::vector<Floats> in{
      large, {1, 1, 1, -1e30f, 1e30f, 0, 3e38f, 3e38f, 3e38f}, {1, 2, 4}};
  on_every_target([&] {
    EXPECT_TRUE(close(scores(twin, in), Doubles{3, 4, 7}, 1e-6));
    for (const Floats& dx : gradients(twin, in, {1, 1, 1})) {
      for (float x : dx) EXPECT_TRUE(std::isfinite(x));
    }
  });
}

TEST(Additive, AddsToTheGradientsAndLeavesOutThoseNotWanted) {
  const TwinPairs twin(mixed_pairs(), 2, 1, 11);
  const auto in = random_inputs(twin, true);
  const Floats ds = random_floats(twin.size(), 9);
  on_every_target([&] {
    const auto dx = gradients(twin, in, ds), more = gradients(twin, in, ds, 1);
    for (size_t k = 0; k < in.size(); ++k) {
      for (size_t i = 0; i < dx[k].size(); ++i) {
        ASSERT_NEAR(more[k][i], 1 + dx[k][i], 1e-3) << k << " " << i;
      }
    }
    Floats dv(in[2].size(), 0.0f), dk(in[1].size(), 0.0f);
    const AdditiveInputs inputs = view(twin, in);
    additive_backward(inputs, twin.layout(), ds.data(), {.dv = dv});
    additive_backward(inputs, twin.layout(), ds.data(),
                      {.dk = {dk.data(), inputs.k.rows, inputs.k.cols}});
    EXPECT_TRUE(same_bits(dv, dx[2]));
    EXPECT_TRUE(same_bits(dk, dx[1]));
  });
}

TEST(Additive, GivesARowTheSameBitsAloneAndInCompany) {
  const auto rows = mixed_pairs();
  const TwinPairs all(rows, 2, 1, 19);
  const auto in = random_inputs(all, true);
  const Floats ds = random_floats(all.size(), 9);
  on_every_target([&] {
    const Floats s = scores(all, in);
    const Floats dq = gradients(all, in, ds)[0];
    for (size_t m = 0; m < rows.size(); ++m) {
      TwinPairs one({rows[m]}, 2, 1, 19);
      one.key_rows = all.key_rows;
      const auto cut = [](const Floats& x, int64_t begin, int64_t size) {
        return Floats(x.begin() + begin, x.begin() + begin + size);
      };
      const int64_t begin = all.layout().begin(m, 0), size = one.size();
      auto mine = in;
      mine[0] = cut(in[0], m * 38, 38);
      mine[3] = cut(in[3], begin, size);
      EXPECT_TRUE(same_bits(scores(one, mine), cut(s, begin, size)));
      EXPECT_TRUE(same_bits(gradients(one, mine, cut(ds, begin, size))[0],
                            cut(dq, m * 38, 38)));
    }
  });
}

}  // namespace
}  // namespace fovea::kernels
