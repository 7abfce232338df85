// Attention with its projections, as models use it.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "fovea/attend/registry.h"
#include "fovea/attend/trace.h"
#include "fovea/base/rng.h"

namespace fovea::bench {
namespace {

constexpr int kTokens = 4000, kSize = 64;

std::vector<int> sentences() {
  std::vector<int> lengths;
  int left = kTokens;
  for (uint32_t i = 0; left > 0; ++i) {
    const int n = 5 + static_cast<int>(random_below(RandomKey(7), i, 26));
    lengths.push_back(std::min(n, left));
    left -= lengths.back();
  }
  return lengths;
}

std::vector<int> long_ones() {
  std::vector<int> lengths(kTokens / 512, 512);
  lengths.push_back(kTokens % 512);
  return lengths;
}

// Multi-head self-attention, forward and backward.
struct Block {
  Segments of;
  int width;
  std::unique_ptr<Attention> attention;
  Var x;
  Tensor dy;

  Block(const std::vector<int>& lengths, int width_)
      : of(Segments::from_lengths(lengths)), width(width_) {
    ComposedConfig config;
    config.heads = width / kSize;
    attention = make_attention(config, {.query = width}, RandomKey(1));
    Tensor rows({kTokens, width});
    dy = Tensor({kTokens, width});
    fill_normal(RandomKey(2), 0, 1, rows.span());
    fill_normal(RandomKey(3), 0, 1, dy.span());
    x = Var::parameter(rows);
  }
  void step(const Pass& pass) const {
    attention->self(x, of, pass).context.backward(dy);
  }
  // Four products with a weight, three times; two with keys or values, and five
  // more going back.
  double flops() const {
    double pairs = 0;
    for (int b = 0; b < of.count(); ++b) {
      pairs += double(of.length(b)) * of.length(b);
    }
    return 24.0 * kTokens * width * width + 14.0 * pairs * width;
  }
};

std::vector<Row> blocks(int threads) {
  const Yardstick peak = sgemm_peak();
  std::vector<Row> rows;
  for (int width : {256, 512}) {
    for (bool is_long : {false, true}) {
      const Block block(is_long ? long_ones() : sentences(), width);
      Row row;
      row.bench = "attention_block";
      row.name = "d=" + std::to_string(width) +
                 (is_long ? " sequences of 512" : " sentences of 5..30");
      row.threads = threads;
      rows.push_back(
          against(peak, row, block.flops(), [&] { block.step({}); }));
    }
  }
  return rows;
}

// What it costs to ask for one head's weights.
std::vector<Row> traced(int threads) {
  std::vector<Row> rows;
  for (bool is_long : {false, true}) {
    const Block block(is_long ? long_ones() : sentences(), 512);
    Trace trace({{.layer = "self", .heads = {3}}});
    Pass pass;
    pass.trace = &trace;
    const Pair seconds = best_of(
        [&] {
          trace.clear();
          block.step(pass.in("self"));
        },
        [&] { block.step({}); }, 15);
    rows.push_back({.bench = "attention_trace",
                    .name = is_long ? "d=512 sequences of 512"
                                    : "d=512 sentences of 5..30",
                    .threads = threads,
                    .value = seconds.ours,
                    .unit = "s",
                    .peer = "without a trace",
                    .peer_value = seconds.peer,
                    .ratio = seconds.peer / seconds.ours});
  }
  return rows;
}

}  // namespace

Bench attention_block_bench() { return {"attention_block", blocks}; }
Bench attention_trace_bench() { return {"attention_trace", traced}; }

}  // namespace fovea::bench
