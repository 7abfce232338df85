// Greedy translation of Multi30k's test of 2016 by RNNsearch, beside PyTorch in
// float32 with the same weights.
#include <vector>

#include "bench/bench.h"
#include "bench/translation_case.h"

namespace fovea::bench {
namespace {

std::vector<Row> run(int threads) {
  const auto set = translation_set(kRnnsearch);
  std::vector<Row> rows;
  for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
    const TranslationCase c{.precision = precision};
    Row row = unmeasured("rnn_decoding", "RNNsearch 512, " + c.name(), threads,
                         "sent/s");
    if (!set || !wanted(row)) {
      rows.push_back(row);
      continue;
    }
    Translation ours(*set, c);
    Peer peer = torch_decoding(*set, c, threads);
    ours.run();
    const bool same = precision == Precision::kFloat32;
    if (!same || !peer.present() || alike(peer, ours)) {
      row = against(peer, row, [&] { ours.run(); });
      rows.push_back(share_row(row, c, ours));
      row = as_speed(row, ours.sentences());
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

Bench rnn_decoding_bench() { return {"rnn_decoding", run}; }

}  // namespace fovea::bench
