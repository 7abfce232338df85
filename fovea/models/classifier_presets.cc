#include "fovea/models/classifier_presets.h"

#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"

namespace fovea {
namespace {

constexpr int kWidth = 128;

// Embeddings without places, which the parts below do not need.
ClassifierConfig base(const char* encoder, const char* pool) {
  ClassifierConfig c;
  c.embed.width = c.encode.width = kWidth;
  c.embed.position.kind = PositionKind::kNone;
  c.embed.scale = false;
  c.embed.deviation = 0.1f;
  c.embed.dropout = c.encode.dropout = 0.3f;
  c.encode.kind = encoder;
  c.encode.layers = 1;
  c.classes.pool = pool;
  c.classes.dropout = 0.5f;
  return c;
}

ClassifierConfig mean() {
  ClassifierConfig c = base("none", "mean");
  c.classes.hidden = kWidth;
  return c;
}

ClassifierConfig mlp_attention() { return base("mlp", "attention"); }

ClassifierConfig bilstm_attention() {
  ClassifierConfig c = base("recurrent", "attention");
  c.encode.cell = CellKind::kLstm;
  return c;
}

ClassifierConfig cnn() {
  ClassifierConfig c = base("cnn", "max");
  c.encode.kernels = {3, 4, 5};
  c.encode.width = 300;
  return c;
}

ClassifierConfig transformer() {
  ClassifierConfig c = base("transformer", "query");
  c.embed.position.kind = PositionKind::kSinusoidal;
  c.embed.scale = true;
  c.embed.deviation = 0.0f;
  c.encode.layers = 2;
  c.encode.ffn = 2 * kWidth;
  c.attend.heads = 4;
  return c;
}

constexpr ClassifierPreset kPresets[] = {
    {"classify-mean", "the mean of word vectors and a hidden layer", mean},
    {"classify-mlp-attention", "each word by itself, then attention over them",
     mlp_attention},
    {"classify-bilstm-attention",
     "a bidirectional LSTM, then attention over its states", bilstm_attention},
    {"classify-cnn", "convolutions and the maximum over time (Kim 2014)", cnn},
    {"classify-transformer",
     "a Transformer of 2 layers, asked by a learned query", transformer},
};

}  // namespace

std::span<const ClassifierPreset> all_classifier_presets() { return kPresets; }

ClassifierConfig classifier_preset(const std::string& name) {
  std::vector<std::string> names;
  for (const ClassifierPreset& p : kPresets) {
    if (name == p.name) return p.make();
    names.emplace_back(p.name);
  }
  fail(ErrorKind::kUsage, "no classifier is named '", name, "'",
       did_you_mean(name, names));
}

}  // namespace fovea
