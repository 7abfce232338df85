#include "fovea/kernels/recurrent.h"

#include "fovea/base/parallel.h"
#include "support/compare.h"
#include "support/recurrent_cases.h"

namespace fovea::kernels {
namespace {

using testing::Doubles;
using testing::TwinRecurrent;

MatrixView matrix(std::vector<float>& v, int64_t cols) {
  return {v.data(), static_cast<int64_t>(v.size()) / cols, cols};
}

// The kernels on numbers of a twin whose x is already W x + b.
struct Kernel {
  TwinRecurrent twin;
  std::vector<Doubles> inputs;
  bool zero_start;
  std::vector<float> pre, u, inner_bias, h0, c0;
  std::vector<float> extra, states, last, last_c;              // forward
  std::vector<float> dpre, dstates, dlast, dlast_c, dh0, dc0;  // backward
  int64_t width;

  Kernel(const TwinRecurrent& twin_, bool zero_start_, bool keep);

  Timeline time() const {
    return {Segments::from_lengths(twin.lengths), twin.reverse};
  }
  GruVariant variant() const {
    return {twin.reset_after ? GruReset::kAfter : GruReset::kBefore,
            twin.keeps_old ? GruUpdate::kKeepsOld : GruUpdate::kTakesNew};
  }
  MatrixView start(std::vector<float>& v) {
    return zero_start ? MatrixView() : matrix(v, width);
  }
  int64_t split() const {  // rows of U in the first product
    return twin.cell == TwinRecurrent::kGru && !twin.reset_after
               ? 2 * width
               : twin.gates() * width;
  }
  void forward();
  void backward(const Doubles& dy);
  std::vector<float> result() const {
    std::vector<float> all = states;
    all.insert(all.end(), last.begin(), last.end());
    if (twin.cell == TwinRecurrent::kLstm) {
      all.insert(all.end(), last_c.begin(), last_c.end());
    }
    return all;
  }
};

Kernel::Kernel(const TwinRecurrent& twin_, bool zero_start_, bool keep)
    : twin(twin_), zero_start(zero_start_), width(twin_.width) {
  twin.in = twin.gates() * twin.width;
  inputs = testing::random_inputs(twin, 7);
  Doubles& w = inputs[1];
  w.assign(w.size(), 0);
  for (int i = 0; i < twin.in; ++i) w[i * twin.in + i] = 1;
  inputs[3].assign(inputs[3].size(), 0);
  if (zero_start) {
    for (int i : {5, 6}) inputs[i].assign(inputs[i].size(), 0);
  }
  pre = testing::to_float(inputs[0]);
  u = testing::to_float(inputs[2]);
  inner_bias = testing::to_float(inputs[4]);
  h0 = testing::to_float(inputs[5]);
  c0 = testing::to_float(inputs[6]);
  const size_t rows = twin.tokens() * width, ends = twin.sequences() * width;
  if (keep) extra.assign(rows, -9);
  states.assign(rows, -9);
  for (auto* v : {&last, &last_c}) v->assign(ends, -9);
}

void Kernel::forward() {
  MatrixView all = matrix(u, width);
  const WeightMatrix first =
      PackedMatrix::from_out_in(all.row_range(0, split()));
  const WeightMatrix second =
      split() < all.rows
          ? PackedMatrix::from_out_in(all.row_range(split(), all.rows))
          : PackedMatrix();
  const MatrixView gates = matrix(pre, twin.gates() * width);
  const MatrixView kept = extra.empty() ? MatrixView() : matrix(extra, width);
  switch (twin.cell) {
    case TwinRecurrent::kElman:
      return elman_forward({time(), first, start(h0), gates,
                            matrix(states, width), matrix(last, width)});
    case TwinRecurrent::kLstm:
      return lstm_forward({time(), first, start(h0), start(c0), gates, kept,
                           matrix(states, width), matrix(last, width),
                           matrix(last_c, width)});
    case TwinRecurrent::kGru:
      return gru_forward({time(), variant(), first, second, inner_bias,
                          start(h0), gates, kept, matrix(states, width),
                          matrix(last, width)});
  }
}

void Kernel::backward(const Doubles& dy) {
  const std::vector<float> d = testing::to_float(dy);
  const auto after_states = d.begin() + states.size();
  dstates.assign(d.begin(), after_states);
  dlast.assign(after_states, after_states + last.size());
  dlast_c.assign(after_states + (d.size() - states.size() - last.size()),
                 d.end());
  dh0.assign(last.size(), 1);  // it must be added to
  dc0 = dh0;
  MatrixView all = matrix(u, width);
  const WeightMatrix first =
      PackedMatrix::from_in_out(all.row_range(0, split()));
  const WeightMatrix second =
      split() < all.rows
          ? PackedMatrix::from_in_out(all.row_range(split(), all.rows))
          : PackedMatrix();
  const MatrixView gates = matrix(pre, twin.gates() * width);
  switch (twin.cell) {
    case TwinRecurrent::kElman:
      return elman_backward({time(), first, matrix(states, width),
                             matrix(dstates, width), matrix(dlast, width),
                             gates, start(dh0)});
    case TwinRecurrent::kLstm:
      return lstm_backward({time(), first, start(c0), matrix(extra, width),
                            matrix(dstates, width), matrix(dlast, width),
                            matrix(dlast_c, width), gates, start(dh0),
                            start(dc0)});
    case TwinRecurrent::kGru:
      return gru_backward({time(), variant(), first, second, start(h0),
                           matrix(states, width), matrix(dstates, width),
                           matrix(dlast, width), gates, matrix(extra, width),
                           start(dh0)});
  }
}

const std::vector<int> kRagged = {3, 0, 7, 1, 4, 4, 0, 2, 5,  1, 9, 2, 3,
                                  6, 1, 2, 8, 3, 1, 0, 5, 10, 4, 2, 1};

void check_forward(const TwinRecurrent& twin, bool zero_start, bool keep) {
  SCOPED_TRACE(testing::name_of(twin));
  Kernel k(twin, zero_start, keep);
  k.forward();
  EXPECT_TRUE(testing::close(k.result(), k.twin.forward(k.inputs), 2e-6));
}

void check_backward(const TwinRecurrent& twin, bool zero_start) {
  SCOPED_TRACE(testing::name_of(twin));
  Kernel k(twin, zero_start, true);
  k.forward();
  const Doubles dy = testing::random_doubles(k.result().size(), 3);
  const auto truth = k.twin.gradient(k.inputs, dy);
  k.backward(dy);
  EXPECT_TRUE(testing::close(k.pre, truth[0], testing::kGradientTolerance));
  if (zero_start) return;
  for (float& v : k.dh0) v -= 1;
  EXPECT_TRUE(testing::close(k.dh0, truth[5], testing::kGradientTolerance));
  if (twin.cell != TwinRecurrent::kLstm) return;
  for (float& v : k.dc0) v -= 1;
  EXPECT_TRUE(testing::close(k.dc0, truth[6], testing::kGradientTolerance));
}

TEST(RecurrentKernel, MatchesTheTwinForward) {
  ThreadLimit one(1);
  testing::on_every_target([] {
    for (int width : {1, 7, 8, 9, 33}) {
      for (const TwinRecurrent& twin : testing::all_cells(1, width, kRagged)) {
        check_forward(twin, false, false);
        check_forward(twin, true, true);
      }
    }
  });
}

TEST(RecurrentKernel, MatchesTheTwinBackward) {
  ThreadLimit one(1);
  testing::on_every_target([] {
    for (int width : {1, 7, 8, 9, 33}) {
      for (const TwinRecurrent& twin : testing::all_cells(1, width, kRagged)) {
        check_backward(twin, false);
        check_backward(twin, true);
      }
    }
  });
}

TEST(RecurrentKernel, GivesTheSameBitsWithAnyNumberOfThreads) {
  for (const TwinRecurrent& twin : testing::all_cells(1, 19, kRagged)) {
    SCOPED_TRACE(testing::name_of(twin));
    ThreadLimit one(1);
    Kernel alone(twin, false, true);
    alone.forward();
    const Doubles dy = testing::random_doubles(alone.result().size(), 3);
    const std::vector<float> result = alone.result();
    alone.backward(dy);
    testing::with_threads({2, 3, 4}, [&](int) {
      Kernel k(twin, false, true);
      k.forward();
      EXPECT_TRUE(testing::same_bits(k.result(), result));
      k.backward(dy);
      EXPECT_TRUE(testing::same_bits(k.pre, alone.pre));
      EXPECT_TRUE(testing::same_bits(k.dh0, alone.dh0));
    });
  }
}

TEST(RecurrentKernel, LeavesTheInputProductsAloneWhenNothingIsKept) {
  for (const TwinRecurrent& twin : testing::all_cells(1, 9, kRagged)) {
    Kernel k(twin, false, false);
    const std::vector<float> before = k.pre;
    k.forward();
    EXPECT_TRUE(testing::same_bits(k.pre, before)) << testing::name_of(twin);
  }
}

TEST(RecurrentKernel, SurvivesABatchWithoutTokens) {
  for (const std::vector<int>& lengths :
       {std::vector<int>{}, std::vector<int>{0, 0}}) {
    for (const TwinRecurrent& twin : testing::all_cells(1, 5, lengths)) {
      Kernel k(twin, false, false);
      k.forward();
      EXPECT_TRUE(testing::same_bits(k.last, k.h0)) << testing::name_of(twin);
    }
  }
}

TEST(PreviousRows, ShiftsEachSequenceByOneStep) {
  std::vector<float> states = {1, 2, 3, 4, 5}, initial = {10, 20, 30};
  std::vector<float> out(5);
  const Segments of = Segments::from_lengths(std::vector<int>{2, 0, 3});
  previous_rows({of, false}, matrix(states, 1), matrix(initial, 1),
                matrix(out, 1));
  EXPECT_EQ(out, (std::vector<float>{10, 1, 30, 3, 4}));
  previous_rows({of, true}, matrix(states, 1), {}, matrix(out, 1));
  EXPECT_EQ(out, (std::vector<float>{2, 0, 4, 5, 0}));
}

}  // namespace
}  // namespace fovea::kernels
