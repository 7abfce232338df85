#include "bench/training_case.h"

#include <nlohmann/json.hpp>

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

// Tokens, and pairs of tokens that meet in attention.
struct Amounts {
  double source = 0, target = 0;
  double own_source = 0, own_target = 0, cross = 0;

  explicit Amounts(const Batch& batch) {
    for (int b = 0; b < batch.size(); ++b) {
      const double s = batch.source.of.length(b), t = batch.target.of.length(b);
      source += s;
      target += t;
      own_source += s * s;
      own_target += t * (t + 1) / 2;
      cross += s * t;
    }
  }
};

double transformer_flops(const ModelConfig& c, const Amounts& n) {
  const double d = c.embed.width, f = c.encode.ffn;
  const double encoder = c.encode.layers * (n.source * (8 * d * d + 4 * d * f) +
                                            4 * d * n.own_source);
  const double decoder =
      c.predict.layers *
      (n.target * (12 * d * d + 4 * d * f) + n.source * 4 * d * d +
       4 * d * (n.own_target + n.cross));
  return encoder + decoder + n.target * 2 * d * c.vocabulary.target;
}

ModelConfig sized(ModelConfig config) {
  config.vocabulary = {.source = kTrainingVocabulary,
                       .target = kTrainingVocabulary};
  return config;
}

std::vector<std::vector<int>> sentences(const Ids& ids) {
  std::vector<std::vector<int>> all;
  for (int b = 0; b < ids.of.count(); ++b) {
    all.emplace_back(ids.ids.begin() + ids.of.begin(b),
                     ids.ids.begin() + ids.of.end(b));
  }
  return all;
}

}  // namespace

std::vector<TrainingCase> training_cases() {
  const Amounts amounts(training_batch());
  std::vector<TrainingCase> all = {
      {"Transformer 3+3, d 256", "transformer",
       sized(preset("transformer-small"))},
      {"Transformer 6+6, d 512", "transformer",
       sized(preset("transformer-medium"))},
  };
  for (TrainingCase& c : all) {
    c.forward_flops = transformer_flops(c.config, amounts);
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

Peer torch_training(const TrainingCase& c, const Batch& batch, int threads) {
  const nlohmann::json request = {{"case", "training"},
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
