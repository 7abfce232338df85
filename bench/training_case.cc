#include "bench/training_case.h"

#include <nlohmann/json.hpp>

#include "bench/flops.h"
#include "fovea/base/rng.h"
#include "fovea/models/presets.h"

namespace fovea::bench {
namespace {

constexpr int kPairs = 256, kShortest = 5, kSpread = 17;

// Words by rank, seldom ones seldom: the product of two uniform numbers.
int word(RandomKey key, uint32_t i) {
  const float u = random_uniform(key, 2 * i) * random_uniform(key, 2 * i + 1);
  return 3 + static_cast<int>(u * (kTrainingVocabulary - 3));
}

TokenAmounts amounts_of(const Batch& batch) {
  TokenAmounts amounts;
  for (int b = 0; b < batch.size(); ++b) {
    amounts.add(batch.source.of.length(b), batch.target.of.length(b));
  }
  return amounts;
}

ModelConfig sized(ModelConfig config) {
  config.vocabulary = {.source = kTrainingVocabulary,
                       .target = kTrainingVocabulary};
  return config;
}

}  // namespace

std::vector<TrainingCase> training_cases() {
  const TokenAmounts amounts = amounts_of(training_batch());
  std::vector<TrainingCase> all = {
      {"Transformer 3+3, d 256", "transformer",
       sized(preset("transformer-small"))},
      {"Transformer 6+6, d 512", "transformer",
       sized(preset("transformer-medium"))},
      {"RNNsearch, BiGRU 512, GRU 512", "rnnsearch",
       sized(preset("rnnsearch-small"))},
      {"LSTM 512, dot, input feeding", "luong", sized(preset("luong-small"))},
  };
  for (TrainingCase& c : all) {
    c.forward_flops =
        c.torch_model == "rnnsearch" ? rnnsearch_flops(c.config, amounts)
        : c.torch_model == "luong"   ? luong_flops(c.config, amounts)
                                     : transformer_flops(c.config, amounts);
  }
  return all;
}

Batch training_batch() {
  const RandomKey key(3);
  std::vector<Example> examples;
  uint32_t next = 0;
  for (int i = 0; i < kPairs; ++i) {
    Example e;
    e.line = i;
    const int source =
        kShortest + static_cast<int>(random_below(key.with("s"), i, kSpread));
    const int target =
        source + static_cast<int>(random_below(key.with("t"), i, 5)) - 1;
    for (int j = 0; j < source; ++j) e.source.push_back(word(key, next++));
    for (int j = 0; j < target; ++j) e.target.push_back(word(key, next++));
    examples.push_back(std::move(e));
  }
  return make_batch(std::move(examples), {.source = 2, .target = 2});
}

std::vector<std::vector<int>> sentences(const Ids& ids) {
  std::vector<std::vector<int>> all;
  for (int b = 0; b < ids.of.count(); ++b) {
    all.emplace_back(ids.ids.begin() + ids.of.begin(b),
                     ids.ids.begin() + ids.of.end(b));
  }
  return all;
}

Peer torch_peer(const std::string& what, const TrainingCase& c,
                const Batch& batch, int threads) {
  const nlohmann::json request = {{"case", what},
                                  {"model", c.torch_model},
                                  {"width", c.config.predict.width},
                                  {"embedding", c.config.embed.width},
                                  {"heads", c.config.encode.heads},
                                  {"layers", c.config.encode.layers},
                                  {"ffn", c.config.encode.ffn},
                                  {"dropout", c.config.encode.dropout},
                                  {"vocabulary", kTrainingVocabulary},
                                  {"source", sentences(batch.source)},
                                  {"target", sentences(batch.target)},
                                  {"threads", threads}};
  return Peer("torch", request.dump());
}

}  // namespace fovea::bench
