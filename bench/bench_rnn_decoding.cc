// Greedy decoding of RNNsearch beside PyTorch: all sentences get the same
// number of words, so that weights may be random.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/flops.h"
#include "bench/training_case.h"
#include "fovea/decode/search_all.h"
#include "fovea/models/presets.h"
#include "fovea/models/seq2seq.h"

namespace fovea::bench {
namespace {

constexpr int kSteps = 16, kBatch = 64;

ModelConfig config_of() {
  ModelConfig config = preset("rnnsearch-small");
  config.vocabulary = {.source = kTrainingVocabulary,
                       .target = kTrainingVocabulary};
  return config;
}

Peer torch_decoding(const ModelConfig& config,
                    const std::vector<std::vector<int>>& source, int threads) {
  const nlohmann::json request = {{"case", "decoding"},
                                  {"width", config.predict.width},
                                  {"embedding", config.embed.width},
                                  {"dropout", 0.0},
                                  {"vocabulary", kTrainingVocabulary},
                                  {"source", source},
                                  {"batch", kBatch},
                                  {"steps", kSteps},
                                  {"threads", threads}};
  return Peer("torch", request.dump());
}

Row share_of_decoding(const ModelConfig& config,
                      const std::vector<std::vector<int>>& source,
                      const Row& time, Precision precision) {
  TokenAmounts tokens;
  for (const auto& ids : source) {
    tokens.add(static_cast<double>(ids.size()) + 1, kSteps + 1);
  }
  Row row = time;
  row.bench = "rnn_decoding_share";
  if (time.value == 0) return row;
  return share_of_peak(
      precision == Precision::kInt8 ? int8_peak() : sgemm_peak(), row,
      1e3 * rnnsearch_flops(config, tokens) / time.value);
}

std::vector<Row> run(int threads) {
  const ModelConfig config = config_of();
  const std::vector<std::vector<int>> with_ends =
      sentences(training_batch().source);
  Peer peer = torch_decoding(config, with_ends, threads);
  std::vector<std::vector<int>> source = with_ends;
  for (std::vector<int>& ids : source) ids.pop_back();  // search adds the end
  const std::vector<SearchSource> sources = sources_of(source);
  std::vector<Row> rows;
  for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
    Row row;
    row.bench = "rnn_decoding";
    row.name = precision == Precision::kInt8
                   ? "RNNsearch 512, greedy, int8 against float32"
                   : "RNNsearch 512, greedy, batch 64";
    row.threads = threads;
    Seq2Seq model(config, RandomKey(1));
    Params(model).prepare(precision);
    const Seq2Seq* models[] = {&model};
    rows.push_back(against(peer, row, [&] {
      search_all(models, sources,
                 {.search = {.beam_size = 1,
                             .min_length = kSteps,
                             .max_length = kSteps},
                  .batch_size = kBatch});
    }));
    rows.push_back(share_of_decoding(config, source, rows.back(), precision));
  }
  return rows;
}

}  // namespace

Bench rnn_decoding_bench() { return {"rnn_decoding", run}; }

}  // namespace fovea::bench
