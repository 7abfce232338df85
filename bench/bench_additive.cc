#include <cmath>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/peer.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/linear.h"
#include "fovea/autograd/pairs.h"
#include "fovea/autograd/softmax.h"
#include "fovea/base/rng.h"

namespace fovea::bench {
namespace {

constexpr int kSources = 256, kShortest = 5, kLongest = 30;
constexpr int kSteps = 30, kWidth = 512;

std::vector<int> ragged() {
  std::vector<int> lengths(kSources);
  for (int i = 0; i < kSources; ++i) {
    lengths[i] = kShortest + static_cast<int>(random_below(
                                 RandomKey(7), i, kLongest - kShortest + 1));
  }
  return lengths;
}

Var parameter(const Shape& shape, uint64_t seed, float scale) {
  Tensor t(shape);
  fill_normal(RandomKey(seed), 0, scale, t.span());
  return Var::parameter(t);
}

// `queries` rows for each source, one after another.
Pairs all_keys(const Segments& of, int queries) {
  std::vector<Pairs::Row> rows;
  for (int b = 0; b < of.count(); ++b) {
    rows.insert(rows.end(), queries,
                {.key = of.begin(b), .keys = of.length(b)});
  }
  return Pairs(rows, 1, 1);
}

// Additive attention of a decoder over the states of an encoder, with all
// gradients: of the states, the queries and the weights.
struct Decoder {
  Segments of = Segments::from_lengths(ragged());
  Var states = parameter({of.total(), kWidth}, 1, 1);
  Var of_states = weight(2), of_query = weight(3);
  Var v = parameter({kWidth}, 4, 1 / std::sqrt(float{kWidth}));
  std::vector<Var> queries;
  Tensor seed = Tensor::full({int64_t{kSteps} * kSources, kWidth}, 0.01f);

  explicit Decoder(int steps) {
    for (int t = 0; t < steps; ++t) {
      queries.push_back(
          parameter({kSteps / steps * kSources, kWidth}, 10 + t, 1));
    }
  }
  static Var weight(uint64_t seed) {
    return parameter({kWidth, kWidth}, seed, 1 / std::sqrt(float{kWidth}));
  }
  void run() const {
    for (const Var& x : {states, of_states, of_query, v}) x.clear_grad();
    for (const Var& query : queries) query.clear_grad();
    const Var keys = linear(states, of_states);
    std::vector<Var> contexts;
    for (const Var& query : queries) {
      const Pairs pairs =
          all_keys(of, static_cast<int>(query.dim(0) / kSources));
      const Var scores = pair_additive(linear(query, of_query), keys, v, pairs);
      contexts.push_back(
          pair_sum(softmax(scores, pairs.segments()), states, pairs));
    }
    concat_rows(contexts).backward(seed);
  }
};

Row row_of(const std::string& name, bool at_once, int threads) {
  const Decoder decoder(at_once ? 1 : kSteps);
  Peer peer = torch_additive_attention(ragged(), {.steps = kSteps,
                                                  .width = kWidth,
                                                  .at_once = at_once,
                                                  .threads = threads});
  Row row;
  row.bench = "additive";
  row.name = name;
  row.threads = threads;
  return against(peer, row, [&] { decoder.run(); });
}

}  // namespace

// Both sides work on the same real tokens, so that the ratio of the times is
// that of real tokens per second.
Bench additive_bench() {
  return {"additive", [](int threads) -> std::vector<Row> {
            return {row_of("30 steps, one after another", false, threads),
                    row_of("30 steps at once", true, threads)};
          }};
}

}  // namespace fovea::bench
