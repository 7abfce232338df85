// Attention that looks at some keys only, against attention to all.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "fovea/attend/registry.h"
#include "fovea/base/rng.h"

namespace fovea::bench {
namespace {

constexpr int kKeys = 4096, kHeads = 8, kSize = 64, kWidth = kHeads * kSize;
constexpr int kWindow = 128, kTop = 64, kOpen = kKeys / 4;

// Self-attention of one sequence, without projections.
struct Problem {
  std::unique_ptr<Attention> attention;
  Segments of = Segments::from_lengths(std::vector{kKeys});
  Tensor dy{{kKeys, kWidth}}, gates = Tensor::zeros({kKeys, 1});
  Var q, k, v;

  explicit Problem(ComposedConfig config) {
    config.heads = kHeads;
    config.project = config.value_proj = config.out_proj = false;
    attention =
        make_attention(config, {.query = kWidth, .extra = 1}, RandomKey(1));
    // The only parameters are those of the gates, whose states open a quarter.
    const Params all(*attention);
    for (const auto& p : all.parameters()) p.value->value().fill(1.0f);
    gates.fill(-5.0f);
    for (int i = 0; i < kOpen; ++i) gates[int64_t{kKeys} / kOpen * i] = 5.0f;
    uint64_t seed = 1;
    for (Var* x : {&q, &k, &v}) {
      const Tensor rows({kKeys, kWidth});
      fill_normal(RandomKey(++seed), 0, 1, rows.span());
      *x = Var::parameter(rows);
    }
    fill_normal(RandomKey(++seed), 0, 1, dy.span());
  }

  Var attend() const {
    const Memory memory = attention->remember(
        {.keys = k, .values = v, .extra = gates, .of = of}, {});
    return attention->attend({.rows = q, .of = of}, memory, {}, {}).context;
  }
  void forward() const {
    const NoGrad no_grad;
    attend();
  }
  void train() const { attend().backward(dy); }
};

// Products of a query with a key or a value, each 2 * kSize FLOPs, for one
// query and head.
struct Products {
  double forward, training;
};

// Attention: scores and sums of values forward; backward five products more.
constexpr Products products(double keys) { return {2 * keys, 7 * keys}; }

// Top-k: scores of all keys, sums of k values; backward four products with k
// keys or values, for the scores are not computed again.
constexpr Products top_products(double keys, double top) {
  return {keys + top, keys + 5 * top};
}

double keys_in_window() {
  double sum = 0;
  for (int i = 0; i < kKeys; ++i) {
    sum += std::min(kKeys - 1, i + kWindow) - std::max(0, i - kWindow) + 1;
  }
  return sum / kKeys;
}

// The ratio is how much faster than attention to all keys it is, divided by how
// many times fewer products it makes: 1 is in proportion.
Row compare(const Problem& sparse, const Problem& global, Row row,
            const Products& fewer, bool training) {
  row.name += training ? " forward+backward" : " forward";
  if (!wanted(row)) return row;
  const Products all = products(kKeys);
  const auto work = [training](const Problem& p) {
    return [&p, training] { training ? p.train() : p.forward(); };
  };
  const Pair best = best_of(work(sparse), work(global), 3);
  row.value = 1e3 * best.ours;
  row.unit = "ms";
  row.peer = "global";
  row.peer_value = 1e3 * best.peer;
  row.ratio =
      best.peer / best.ours /
      (training ? all.training / fewer.training : all.forward / fewer.forward);
  return row;
}

std::vector<Row> sparse_rows(int threads) {
  const Problem global(ComposedConfig{});
  ComposedConfig local, gated, top;
  local.extent = "local_m";
  local.options = {"window=" + std::to_string(kWindow)};
  gated.select = "gated";
  top.normaliser = "topk";
  top.options = {"k=" + std::to_string(kTop)};
  const auto row = [threads](const std::string& name) {
    Row r;
    r.bench = "sparse_attention";
    r.name = name;
    r.threads = threads;
    return r;
  };
  std::vector<Row> rows;
  for (bool training : {false, true}) {
    rows.push_back(compare(Problem(local), global, row("local_m"),
                           products(keys_in_window()), training));
    rows.push_back(compare(Problem(top), global, row("topk"),
                           top_products(kKeys, kTop), training));
  }
  rows.push_back(
      compare(Problem(gated), global, row("gated"), products(kOpen), false));
  return rows;
}

}  // namespace

Bench sparse_attention_bench() { return {"sparse_attention", sparse_rows}; }

}  // namespace fovea::bench
