#include <cmath>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/peer.h"
#include "fovea/base/rng.h"
#include "fovea/kernels/attention.h"
#include "fovea/tensor/allocator.h"
#include "fovea/tensor/tensor.h"

namespace fovea::bench {
namespace {

using namespace kernels;

constexpr int kSize = 64;  // of a head

// Self-attention over sequences of these lengths.
struct Problem {
  int rows = 0, heads;
  std::vector<AttentionSpan> spans;
  AttentionOptions options;
  Tensor q, k, v, out, log_sum, dout, dq, dk, dv;

  Problem(const std::vector<int>& lengths, int heads_, bool causal)
      : heads(heads_) {
    for (int n : lengths) {
      spans.push_back(attention_span(rows, n, rows, n));
      rows += n;
    }
    options.heads = options.kv_heads = heads;
    options.scale = 1.0f / std::sqrt(float{kSize});
    options.causal = causal;
    uint64_t seed = 0;
    for (auto* x : {&q, &k, &v, &dout, &out, &dq, &dk, &dv}) {
      *x = Tensor({rows, heads * kSize});
      fill_normal(RandomKey(++seed), 0, 1, x->span());
    }
    log_sum = Tensor({rows, heads});
  }

  static MatrixView view(const Tensor& x) {
    return {x.data(), x.rows(), x.cols()};
  }
  AttentionInputs inputs() { return {view(q), view(k), view(v), spans}; }
  void forward() {
    attention_forward(inputs(), options, {view(out), view(log_sum)});
  }
  void backward() {
    attention_backward(inputs(), options,
                       {.out = view(out),
                        .logsumexp = view(log_sum),
                        .dout = view(dout),
                        .dq = view(dq),
                        .dk = view(dk),
                        .dv = view(dv)});
  }
  // Four products of T x T x size a head; causal half.
  double forward_flops() const {
    double sum = 0;
    for (const AttentionSpan& s : spans) sum += double(s.queries) * s.keys;
    return 4.0 * sum * heads * kSize * (options.causal ? 0.5 : 1.0);
  }
};

std::vector<Row> lengths_against_peak(const std::string& bench, int threads,
                                      bool backward) {
  const Yardstick peak = sgemm_peak();
  std::vector<Row> rows;
  for (bool causal : {false, true}) {
    for (int length : {512, 1024, 2048, 4096, 8192}) {
      Problem p({length}, 8, causal);
      const std::string name =
          "length=" + std::to_string(length) + (causal ? " causal" : " full");
      Row row;
      row.bench = bench;
      row.name = name;
      row.threads = threads;
      const double flops = p.forward_flops() * (backward ? 3.5 : 1.0);
      rows.push_back(against(peak, row, flops, [&] {
        p.forward();
        if (backward) p.backward();
      }));
    }
  }
  return rows;
}

// A ragged batch, against PyTorch's masked and padded one.
std::vector<Row> short_batch(int threads) {
  constexpr int kHeads = 4;
  std::vector<int> lengths(256);
  for (size_t i = 0; i < lengths.size(); ++i) {
    lengths[i] = 5 + static_cast<int>(random_below(RandomKey(7), i, 26));
  }
  Problem p(lengths, kHeads, false);
  Row row;
  row.bench = "attention_short";
  row.name = "256 sequences of 5..30";
  row.threads = threads;
  Peer peer = torch_ragged_attention(lengths, kHeads, kSize, threads);
  return {against(peer, row, [&] {
    p.forward();
    p.backward();
  })};
}

// What a call takes beyond its inputs and outputs.
std::vector<Row> memory_of(int threads) {
  constexpr double kMayTake = 4.0;  // MB for each thread
  std::vector<Row> rows;
  for (bool backward : {false, true}) {
    Problem p({8192}, 8, false);
    if (backward) p.forward();
    Allocator& allocator = Allocator::shared();
    allocator.reset_peak();
    const size_t before = allocator.stats().live;
    backward ? p.backward() : p.forward();
    const double taken = double(allocator.stats().peak_live - before) / 1e6;
    rows.push_back(
        {.bench = "attention_memory",
         .name = backward ? "length=8192 backward" : "length=8192 forward",
         .threads = threads,
         .value = taken / threads,
         .unit = "MB",
         .peer = "limit a thread",
         .peer_value = kMayTake,
         .ratio = kMayTake * threads / taken});
  }
  return rows;
}

}  // namespace

Bench attention_forward_bench() {
  return {"attention_forward", [](int threads) {
            return lengths_against_peak("attention_forward", threads, false);
          }};
}

Bench attention_training_bench() {
  return {"attention_training", [](int threads) {
            return lengths_against_peak("attention_training", threads, true);
          }};
}

Bench attention_short_bench() { return {"attention_short", short_batch}; }

Bench attention_memory_bench() { return {"attention_memory", memory_of}; }

}  // namespace fovea::bench
