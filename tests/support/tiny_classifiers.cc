#include "support/tiny_classifiers.h"

#include "fovea/base/rng.h"

namespace fovea::testing {
namespace {

constexpr int kEnd = 2, kFirstWord = 3;

TinyClassifier changed(const std::string& name, const std::string& encoder,
                       const std::string& pool,
                       void (*change)(ClassifierConfig&)) {
  TinyClassifier model{name, tiny_classifier(encoder, pool)};
  change(model.config);
  return model;
}

}  // namespace

ClassifierConfig tiny_classifier(const std::string& encoder,
                                 const std::string& pool) {
  ClassifierConfig c;
  c.embed.width = c.encode.width = 16;
  c.embed.position.kind = PositionKind::kNone;
  c.encode.kind = encoder;
  c.encode.layers = 1;
  c.encode.heads = 2;
  c.encode.ffn = 24;
  c.classes.pool = pool;
  c.words = kTinyWords;
  c.labels = kTinyLabels;
  return c;
}

std::vector<TinyClassifier> tiny_classifiers() {
  return {
      {"mean", tiny_classifier("none", "mean")},
      {"sum", tiny_classifier("none", "sum")},
      {"gru_last", tiny_classifier("recurrent", "last")},
      {"convolution_mean", tiny_classifier("convolution", "mean")},
      {"mlp_attention", tiny_classifier("mlp", "attention")},
      {"transformer_query", tiny_classifier("transformer", "query")},
      changed("cnn_max", "cnn", "max",
              [](ClassifierConfig& c) {
                c.encode.kernels = {1, 2, 3, 4};
                c.classes.hidden = 8;
                c.classes.activation = Activation::kTanh;
              }),
      changed("bilstm_attention", "recurrent", "attention",
              [](ClassifierConfig& c) {
                c.encode.cell = CellKind::kLstm;
                c.encode.layers = 2;
                c.classes.pooling.score = PoolingScore::kScaledDot;
              }),
      changed("mean_of_query", "none", "query",
              [](ClassifierConfig& c) {
                c.attend = {.score = "additive", .heads = 2};
              }),
  };
}

std::ostream& operator<<(std::ostream& out, const TinyClassifier& model) {
  return out << model.name;
}

Batch tiny_labelled_batch(uint64_t seed, int texts) {
  std::vector<Example> examples;
  for (int i = 0; i < texts; ++i) {
    const RandomKey key = RandomKey(seed).with(i);
    Example example{
        .label = static_cast<int>(random_below(key, 0, kTinyLabels)),
        .line = i};
    const int length = 1 + static_cast<int>(random_below(key, 1, 7));
    for (int j = 0; j < length; ++j) {
      example.source.push_back(
          kFirstWord + static_cast<int>(random_below(key.with("word"), j,
                                                     kTinyWords - kFirstWord)));
    }
    examples.push_back(std::move(example));
  }
  return make_batch(std::move(examples), {.source = kEnd});
}

Batch only_text(const Batch& batch, int b) {
  const Ids& all = batch.source;
  const int length = all.of.length(b);
  return {.source = {{all.ids.begin() + all.of.begin(b),
                      all.ids.begin() + all.of.end(b)},
                     Segments::from_lengths({&length, 1})},
          .target = {},
          .lines = {batch.lines[b]},
          .labels = {batch.labels[b]}};
}

}  // namespace fovea::testing
