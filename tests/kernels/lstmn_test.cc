#include "fovea/kernels/lstmn.h"

#include "fovea/base/parallel.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_lstmn.h"

namespace fovea::kernels {
namespace {

using testing::Doubles;
using testing::same_bits;
using testing::TwinLstmn;
using Floats = std::vector<float>;

const std::vector<int> kRagged = {3, 0, 7, 1, 4, 4, 0, 2, 5,  1, 9, 2, 3,
                                  6, 1, 2, 8, 3, 1, 0, 5, 10, 4, 2, 1};

MatrixView matrix(Floats& v, int64_t cols) {
  return {v.data(), cols ? static_cast<int64_t>(v.size()) / cols : 0, cols};
}

Floats random(int64_t count, uint64_t seed) {
  Floats v = testing::random_floats(count, seed);
  for (float& x : v) x *= 0.5f;
  return v;
}

// The kernels on random products W x + b and W_x x.
struct Kernel {
  Segments of = Segments::from_lengths(kRagged);
  int64_t d, a, n = of.total(), p = 0;
  bool given;
  std::vector<PairRow> rows;
  Floats u, key, summary, v;
  Floats gates, query, added;
  Floats slots, keys, sums, states, cells, softmax;  // forward
  Floats dslots, dkeys, dquery, dadded, dscores;     // backward

  Kernel(int64_t width, int64_t scored, bool given);
  LstmnTape tape() {
    return {of, {rows, 1, 1}, matrix(slots, 2 * d), matrix(keys, a)};
  }
  void forward();
  void backward(uint64_t seed);
  Doubles truth() const;
};

Kernel::Kernel(int64_t width, int64_t scored, bool given_)
    : d(width), a(scored), given(given_) {
  for (int b = 0; b < of.count(); ++b) {
    for (int i = 0; i < of.length(b); ++i) {
      rows.push_back({of.begin(b) + b, i + 1, p});
      p += i + 1;
    }
  }
  u = random(4 * d * d, 1);
  key = random(a * d, 2);
  summary = random(a * d, 3);
  v = random(a, 4);
  gates = random(n * 4 * d, 5);
  query = random(n * a, 6);
  added = random(n * d, 7);
  softmax = given ? random(p, 8) : Floats(p, -9.0f);
  slots.assign((n + of.count()) * 2 * d, 0.0f);
  keys.assign((n + of.count()) * a, 0.0f);
  sums.assign(n * 2 * d, -9.0f);
  states.assign(n * d, -9.0f);
  cells = states;
}

void Kernel::forward() {
  const WeightMatrix pu = PackedMatrix::from_out_in(matrix(u, d));
  const WeightMatrix pk = PackedMatrix::from_out_in(matrix(key, d));
  const WeightMatrix ps = PackedMatrix::from_out_in(matrix(summary, d));
  lstmn_forward({.tape = tape(),
                 .weights = {pu, pk, ps, v},
                 .given = given,
                 .summary0 = {},
                 .added = matrix(added, d),
                 .gates = matrix(gates, 4 * d),
                 .query = matrix(query, a),
                 .sums = matrix(sums, 2 * d),
                 .states = matrix(states, d),
                 .cells = matrix(cells, d),
                 .softmax = softmax.data()});
}

void Kernel::backward(uint64_t seed) {
  const WeightMatrix pu = PackedMatrix::from_in_out(matrix(u, d));
  const WeightMatrix pk = PackedMatrix::from_in_out(matrix(key, d));
  const WeightMatrix ps = PackedMatrix::from_in_out(matrix(summary, d));
  Floats dstates = random(n * d, seed), dcells = random(n * d, seed + 1);
  const Floats dsoftmax = random(p, seed + 2);
  dslots.assign(slots.size(), -9.0f);
  dkeys.assign(keys.size(), -9.0f);
  dquery.assign(query.size(), -9.0f);
  dadded.assign(n * d, -9.0f);
  dscores.assign(p, -9.0f);
  lstmn_backward({.tape = tape(),
                  .weights = {pu, pk, ps, v},
                  .given = given,
                  .query = matrix(query, a),
                  .sums = matrix(sums, 2 * d),
                  .cells = matrix(cells, d),
                  .softmax = softmax.data(),
                  .dstates = matrix(dstates, d),
                  .dcells = matrix(dcells, d),
                  .dsoftmax = dsoftmax.data(),
                  .gates = matrix(gates, 4 * d),
                  .dslots = matrix(dslots, 2 * d),
                  .dkeys = matrix(dkeys, a),
                  .dquery = matrix(dquery, a),
                  .dadded = matrix(dadded, d),
                  .dscores = dscores.data()});
}

// Of a twin whose x is W x + b and W_x x side by side. Call it before forward,
// which overwrites them.
Doubles Kernel::truth() const {
  const int64_t in = 4 * d + a;
  const TwinLstmn twin{.in = static_cast<int>(in),
                       .width = static_cast<int>(d),
                       .scored = static_cast<int>(a),
                       .lengths = kRagged,
                       .added = true,
                       .given = given};
  Doubles x, w(4 * d * in, 0.0), wx(a * in, 0.0);
  for (int64_t i = 0; i < n; ++i) {
    x.insert(x.end(), gates.begin() + i * 4 * d,
             gates.begin() + (i + 1) * 4 * d);
    x.insert(x.end(), query.begin() + i * a, query.begin() + (i + 1) * a);
  }
  for (int64_t i = 0; i < 4 * d; ++i) w[i * in + i] = 1;
  for (int64_t i = 0; i < a; ++i) wx[i * in + 4 * d + i] = 1;
  const auto to = [](const Floats& f) { return Doubles(f.begin(), f.end()); };
  std::vector<Doubles> inputs = {x, w, to(u), Doubles(4 * d, 0.0)};
  if (!given) {
    for (const Doubles& m : {to(key), wx, to(summary), to(v)}) {
      inputs.push_back(m);
    }
  }
  inputs.push_back(to(added));
  if (given) inputs.push_back(to(softmax));
  return twin.forward(inputs);
}

TEST(LstmnKernel, MatchesTheTwinForwardOnEveryTarget) {
  testing::on_every_target([] {
    for (int64_t width : {1, 7, 8, 33}) {
      for (bool given : {false, true}) {
        Kernel k(width, width + 3, given);
        const Doubles truth = k.truth();
        k.forward();
        Floats result = k.states;
        result.insert(result.end(), k.cells.begin(), k.cells.end());
        result.insert(result.end(), k.softmax.begin(), k.softmax.end());
        EXPECT_TRUE(testing::close(result, truth, 3e-6))
            << "width " << width << (given ? " given" : "");
      }
    }
  });
}

TEST(LstmnKernel, GivesTheSameBitsWithAnyNumberOfThreads) {
  for (bool given : {false, true}) {
    const ThreadLimit one(1);
    Kernel alone(19, 22, given);
    alone.forward();
    alone.backward(40);
    testing::with_threads({2, 3, 4}, [&](int) {
      Kernel k(19, 22, given);
      k.forward();
      EXPECT_TRUE(same_bits(k.states, alone.states));
      EXPECT_TRUE(same_bits(k.softmax, alone.softmax));
      k.backward(40);
      EXPECT_TRUE(same_bits(k.gates, alone.gates));
      EXPECT_TRUE(same_bits(k.dscores, alone.dscores));
      EXPECT_TRUE(same_bits(k.dquery, alone.dquery));
      EXPECT_TRUE(same_bits(k.dkeys, alone.dkeys));
      EXPECT_TRUE(same_bits(k.dadded, alone.dadded));
    });
  }
}

}  // namespace
}  // namespace fovea::kernels
