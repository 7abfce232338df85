#pragma once

#include <functional>
#include <string>
#include <vector>

namespace fovea::bench {

// One line of the results.
struct Row {
  std::string bench;  // "attention_forward"
  std::string name;   // the case: "length=512 causal"
  int threads = 1;
  double value = 0;
  std::string unit;  // "GFLOP/s", "GB/s", "s", "MB"
  std::string peer =
      {};  // what it is compared with: "sgemm peak", "memcpy", ...
  double peer_value = 0;  // 0: could not be measured
  double ratio = 0;       // better is larger
};

using Work = std::function<void()>;

// Seconds of one call: warms up, then alternates `ours` and `peer` so that both
// see the same machine, and takes the best of at least `repeats` each.
struct Pair {
  double ours, peer;
};
Pair best_of(const Work& ours, const Work& peer, int repeats = 7);

// Work whose time measures the machine, with the FLOPs or bytes of one call.
struct Yardstick {
  std::string name, unit;
  double amount;
  Work work;
};
// 2048^3 by the faster of OpenBLAS and oneDNN, with the threads of now.
Yardstick sgemm_peak();
// The same of oneDNN's product of bytes.
Yardstick int8_peak();
// What products took of the machine's arithmetic, in a row of its own.
Row share_of_peak(const Yardstick& peak, Row row, double flops_a_second);
Yardstick copy_bandwidth();  // memcpy of 128 MB, read + write

// While one lives, against() measures only the rows that it picks and leaves
// the others unmeasured: for measuring some of a family again.
class MeasureOnly {
 public:
  explicit MeasureOnly(std::function<bool(const Row&)> pick);
  ~MeasureOnly();
  MeasureOnly(const MeasureOnly&) = delete;
  MeasureOnly& operator=(const MeasureOnly&) = delete;
};
bool wanted(const Row& row);

// A row that compares `amount` of FLOPs or bytes in `ours` with a yardstick.
Row against(const Yardstick& yardstick, Row row, double amount,
            const Work& ours);

// A row that compares our time with that of other work of ours, in
// milliseconds.
Row against(const std::string& name, Row row, const Work& ours,
            const Work& other);

// A family of cases, each for 1 and 2 threads unless it says otherwise.
struct Bench {
  std::string name;
  std::function<std::vector<Row>(int threads)> run;
  std::vector<int> threads = {1, 2};
};
// bench_gemm.cc
Bench gemm_bench();
// bench_packed_gemm.cc
Bench packed_gemm_bench();
Bench packed_int8_bench();
Bench packed_row_bandwidth_bench();
Bench packed_row_onednn_bench();
Bench packed_row_int8_bench();
// bench_loops.cc
Bench residual_norm_bench();
// bench_losses.cc
Bench cross_entropy_bench();
Bench adam_bench();
Bench conv_bench();
// bench_recurrent.cc
Bench recurrent_bench();
// bench_rnn_training.cc
Bench rnn_training_bench();
// bench_attention.cc
Bench attention_forward_bench();
Bench attention_training_bench();
Bench attention_short_bench();
Bench attention_memory_bench();
// bench_attend.cc
Bench attention_block_bench();
Bench attention_trace_bench();
// bench_user_score.cc
Bench user_score_bench();
// bench_sparse_attention.cc
Bench sparse_attention_bench();
// bench_data.cc
Bench data_bench();
// bench_training.cc
Bench training_bench();
Bench training_torch_bench();
// bench_additive.cc
Bench additive_bench();
// bench_align.cc
Bench align_bench();
Bench align_neural_bench();
// bench_evaluate.cc
Bench evaluate_bench();
Bench explain_bench();
// bench_translate.cc
Bench translate_bench();
Bench translate_latency_bench();
Bench translate_shortlist_bench();
// bench_translation_cost.cc
Bench translate_start_bench();
Bench translate_memory_bench();
Bench translate_weights_bench();
Bench translate_bleu_bench();
// bench_rnn_decoding.cc
Bench rnn_decoding_bench();
// bench_serve.cc
Bench serve_bench();

const std::vector<Bench>& all_benches();  // one visible table, in main.cc

}  // namespace fovea::bench
