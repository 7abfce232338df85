#include "fovea/attend/registry.h"
#include "fovea/autograd/gather.h"
#include "support/attend_case.h"
#include "support/compare.h"
#include "support/random.h"

// SPEC B6, B8 and B9.
namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

TEST(Heads, EqualRunsOfTheirOwnOnSlices) {
  AttendCase c{.config = bare_config("scaled_dot")};
  c.config.heads = 3;
  const AttendRows rows = random_rows(c);
  const Var all =
      attend_once(*new_attention(c.config, c.sizes), c, rows, false).context;
  c.config.heads = 1;
  c.sizes = {.query = 2, .key = 2, .value = 2};
  const auto one = new_attention(c.config, c.sizes);
  for (int h = 0; h < 3; ++h) {
    const auto slice = [h](const Var& x) {
      return slice_columns(x, 2 * h, 2 * h + 2);
    };
    const AttendRows of_head{slice(rows.queries), slice(rows.keys),
                             slice(rows.values)};
    EXPECT_TRUE(close(attend_once(*one, c, of_head, false).context.value(),
                      to_double(slice(all).value()), 1e-6));
  }
}

// The first and the second half of x change places: its rows, or its columns.
Var swapped(const Var& x, bool columns) {
  const int64_t half = x.dim(columns ? 1 : 0) / 2;
  const Tensor from = x.value(), to(x.shape());
  for (int64_t i = 0; i < from.rows(); ++i) {
    for (int64_t j = 0; j < from.cols(); ++j) {
      const int64_t r = columns ? i : (i + half) % (2 * half);
      const int64_t c = columns ? (j + half) % (2 * half) : j;
      to[r * from.cols() + c] = from[i * from.cols() + j];
    }
  }
  return Var::parameter(to);
}

TEST(Heads, HaveNoOrderButThatOfTheOutputsMatrix) {
  AttendCase c;
  c.config.heads = 2;
  c.config.bias = false;
  const auto attention = random_attention(c);
  const AttendRows rows = random_rows(c);
  const Tensor y = attend_once(*attention, c, rows, false).context.value();
  for (const char* name : {"query.weight", "key.weight", "value.weight"}) {
    param(*attention, name) = swapped(param(*attention, name), false);
  }
  const Tensor other = attend_once(*attention, c, rows, false).context.value();
  EXPECT_FALSE(close(other, to_double(y), 1e-3));
  Var& out = param(*attention, "out.weight");
  out = swapped(out, true);
  EXPECT_TRUE(close(attend_once(*attention, c, rows, false).context.value(),
                    to_double(y), 1e-5));
}

TEST(Heads, MayHaveValuesOfAnotherSize) {
  AttendCase c;
  c.config.heads = 2;
  c.config.value_size = 5;
  const auto attention = random_attention(c);
  EXPECT_EQ(param(*attention, "value.weight").shape(), Shape({10, 6}));
  EXPECT_EQ(param(*attention, "out.weight").shape(), Shape({6, 10}));
  const AttendRows rows = random_rows(c);
  EXPECT_TRUE(close(
      attend_once(*attention, c, rows, false).context.value(),
      to_double(attend_once(*attention, c, rows, true).context.value()), 1e-5));
}

TEST(SelfAttention, OfOneTokenWithoutProjectionsIsTheIdentity) {
  const auto attention = new_attention(bare_config("scaled_dot"), {.query = 6});
  const Tensor x = random_tensor({1, 6}, 1);
  const Segments one = Segments::from_lengths(std::vector<int>{1});
  EXPECT_TRUE(
      close(attention->self(x, one, {}).context.value(), to_double(x), 1e-7));
}

TEST(CausalAttention, HasNoGradientFromLaterTokensByBothPaths) {
  ComposedConfig config;
  config.heads = 2;
  config.causal = true;
  const auto attention = new_attention(config, {.query = 6});
  const Segments of = Segments::from_lengths(std::vector<int>{7});
  for (const bool general : {false, true}) {
    for (const int t : {0, 3, 6}) {
      const Var x = Var::parameter(random_tensor({7, 6}, 1));
      const Memory memory = attention->remember({.keys = x, .of = of}, {});
      const Attended out = attention->attend(
          {.rows = x, .of = of, .want_weights = general}, memory, {}, {});
      Tensor dy = Tensor::zeros({7, 6});
      dy.row_range(t, t + 1).fill(1.0f);
      out.context.backward(dy);
      for (int64_t i = 0; i < x.grad().size(); ++i) {
        EXPECT_TRUE(i / 6 <= t || x.grad()[i] == 0.0f) << "token " << i / 6;
      }
      if (general) {
        EXPECT_EQ(out.weights.pairs.row(0).keys, 1);
      }
    }
  }
}

}  // namespace
}  // namespace fovea
