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

// SPEC D4: z, r, n of a GRU; additive attention counts its sums, not tanh.
double rnnsearch_flops(const ModelConfig& c, const Amounts& n) {
  const double d = c.predict.width, e = c.embed.width;
  const double encoder = n.source * 2 * (6 * d * e + 6 * d * d);
  const double keys = n.source * 2 * (2 * d) * d;
  const double step = 2 * d * d + 6 * d * (e + 2 * d) + 6 * d * d;
  const double readout = 2 * (d + e + 2 * d) * d;
  return encoder + keys + n.cross * (2 * d + 2 * 2 * d) +
         n.target * (step + readout + 2 * (d / 2) * c.vocabulary.target);
}

// SPEC D5 with input feeding.
double luong_flops(const ModelConfig& c, const Amounts& n) {
  const double d = c.predict.width, e = c.embed.width;
  const double encoder = n.source * 8 * d * (e + d);
  const double step = 8 * d * (e + d) + 8 * d * d + 2 * 2 * d * d;
  return encoder + n.cross * 4 * d +
         n.target * (step + 2 * d * c.vocabulary.target);
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
