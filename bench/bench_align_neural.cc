// The attention that `fovea align MODEL` reads: a Transformer of 3+3 layers
// writes given translations, 256 pairs, and records what its last layer gives
// to the source.
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "bench/bench.h"
#include "bench/training_case.h"
#include "fovea/base/parallel.h"
#include "fovea/decode/forced_attention.h"

namespace fovea::bench {
namespace {

constexpr int kTogether = 64;  // pairs, divided by threads

class Forcing {
 public:
  Forcing(const TrainingCase& c, const Batch& batch, Precision precision)
      : model_(c.config, RandomKey(1)) {
    Params(model_).prepare(precision);
    const auto source = sentences(batch.source),
               target = sentences(batch.target);
    std::vector<size_t> order(source.size());
    std::iota(order.begin(), order.end(), 0);
    // The longest first, so that threads end together.
    std::ranges::sort(order, std::greater(),
                      [&](size_t i) { return source[i].size(); });
    for (size_t i : order) {  // without end marks
      source_.emplace_back(source[i].begin(), source[i].end() - 1);
      target_.emplace_back(target[i].begin(), target[i].end() - 1);
    }
  }

  void run() const {
    const size_t together = kTogether / thread_limit();
    const auto groups =
        static_cast<int64_t>((source_.size() + together - 1) / together);
    parallel_tasks(groups, [&](int64_t g, int) {
      const size_t first = static_cast<size_t>(g) * together;
      const size_t count = std::min(together, source_.size() - first);
      Trace trace({{.layer = model_.alignment_layer()}});
      record_attention(model_, std::span(source_).subspan(first, count),
                       std::span(target_).subspan(first, count), trace);
    });
  }

 private:
  Seq2Seq model_;
  std::vector<std::vector<int>> source_, target_;
};

std::vector<Row> run(int threads) {
  const TrainingCase c = training_cases().front();
  const Batch batch = training_batch();
  std::vector<Row> rows;
  for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
    const Forcing ours(c, batch, precision);
    Peer peer = torch_peer("forcing", c, batch, threads);
    Row row{.bench = "align_neural",
            .name = precision == Precision::kInt8 ? "int8" : "float32",
            .threads = threads,
            .unit = "ms"};
    rows.push_back(against(peer, row, [&] { ours.run(); }));
  }
  return rows;
}

}  // namespace

Bench align_neural_bench() { return {"align_neural", run}; }

}  // namespace fovea::bench
