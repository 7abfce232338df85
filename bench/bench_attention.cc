#include <string>
#include <vector>

#include "bench/attention_problem.h"
#include "bench/bench.h"
#include "bench/peer.h"
#include "fovea/base/rng.h"
#include "fovea/tensor/allocator.h"

namespace fovea::bench {
namespace {

std::vector<Row> lengths_against_peak(const std::string& bench, int threads,
                                      bool backward) {
  const Yardstick peak = sgemm_peak();
  std::vector<Row> rows;
  for (bool causal : {false, true}) {
    for (int length : {512, 1024, 2048, 4096, 8192}) {
      AttentionProblem p({length}, 8, causal);
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
  AttentionProblem p(lengths, kHeads, false);
  Row row;
  row.bench = "attention_short";
  row.name = "256 sequences of 5..30";
  row.threads = threads;
  Peer peer = torch_ragged_attention(lengths, kHeads, kHeadSize, threads);
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
    AttentionProblem p({8192}, 8, false);
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
