#include "support/tiny_models.h"

#include "fovea/base/rng.h"
#include "fovea/models/presets.h"

namespace fovea::testing {
namespace {

constexpr int kEnd = 2, kFirstWord = 3;

ModelConfig transformer() {
  ModelConfig c;
  c.embed.width = c.encode.width = c.predict.width = 16;
  c.encode.layers = c.predict.layers = 2;
  c.encode.heads = c.predict.heads = c.attend.heads = 2;
  c.encode.ffn = c.predict.ffn = 24;
  return c;
}

ModelConfig recurrent(const std::string& preset_name) {
  ModelConfig c = preset(preset_name);
  c.embed.width = 12;
  c.encode.width = c.predict.width = 16;
  return c;
}

TinyModel changed_recurrent(const std::string& name, const char* preset_name,
                            void (*change)(ModelConfig&)) {
  TinyModel model{name, recurrent(preset_name)};
  change(model.config);
  return model;
}

// Without the scaled gradient, which no difference of losses shows.
ModelConfig convolution() {
  ModelConfig c = preset("convs2s-tiny");
  c.embed.width = c.encode.width = c.predict.width = 16;
  c.encode.layers = c.predict.layers = 2;
  c.predict.scale_gradient = false;
  return c;
}

// Layers of several sizes, any attention.
ModelConfig convolution_uneven() {
  ModelConfig c = convolution();
  c.encode.widths = {12, 20};
  c.encode.kernels = {3, 1};
  c.predict.widths = {20, 12, 12};
  c.predict.kernels = {2, 1, 4};
  c.predict.readout = 10;
  c.attend = {.score = "additive", .heads = 2};
  return c;
}

TinyModel changed(const std::string& name, void (*change)(ModelConfig&)) {
  TinyModel model{name, transformer()};
  change(model.config);
  return model;
}

std::vector<int> words(RandomKey key, int count) {
  std::vector<int> ids;
  for (int i = 0; i < count; ++i) {
    ids.push_back(kFirstWord + static_cast<int>(random_below(
                                   key, i, kTinyVocabulary - kFirstWord)));
  }
  return ids;
}

}  // namespace

std::vector<TinyModel> tiny_models() {
  std::vector<TinyModel> all = {
      {"transformer", transformer()},
      changed("transformer_post_norm",
              [](ModelConfig& c) {
                c.encode.norm = c.predict.norm = NormOrder::kPost;
              }),
      changed("transformer_untied",
              [](ModelConfig& c) {
                c.tie = Tie::kNone;
                c.output_bias = true;
                c.embed.scale = false;
                c.embed.position.kind = PositionKind::kLearned;
              }),
      changed("transformer_rope_gelu",
              [](ModelConfig& c) {
                c.embed.position.kind = PositionKind::kNone;
                c.encode.position = c.predict.position = "rope";
                c.encode.activation = c.predict.activation = Activation::kGelu;
              }),
      changed("transformer_alibi",
              [](ModelConfig& c) {
                c.embed.position.kind = PositionKind::kNone;
                c.encode.position = c.predict.position = "alibi";
              }),
      changed("transformer_additive",
              [](ModelConfig& c) { c.attend.score = "additive"; }),
      changed("transformer_local",
              [](ModelConfig& c) { c.attend.extent = "local_m"; }),
      changed("transformer_gated",
              [](ModelConfig& c) { c.attend.select = "gated"; }),
      {"rnnsearch", recurrent("rnnsearch-tiny")},
      {"luong", recurrent("luong-tiny")},
      {"gnmt", recurrent("gnmt-tiny")},
      {"bottleneck", recurrent("bottleneck-tiny")},
      {"lstmn", recurrent("lstmn-tiny")},
      changed_recurrent("rnnsearch_multi_head", "rnnsearch-tiny",
                        [](ModelConfig& c) {
                          c.attend = {};
                          c.attend.heads = 2;
                        }),
      changed_recurrent("rnnsearch_coverage", "rnnsearch-tiny",
                        [](ModelConfig& c) { c.attend.coverage = true; }),
      changed_recurrent("luong_local_p", "luong-tiny",
                        [](ModelConfig& c) {
                          c.attend.score = "general";
                          c.attend.extent = "local_p";
                        }),
      changed_recurrent("luong_no_feeding", "luong-tiny",
                        [](ModelConfig& c) { c.predict.feed = false; }),
      {"convolution", convolution()},
      {"convolution_uneven", convolution_uneven()},
  };
  for (TinyModel& model : all) {
    model.config.vocabulary = {.source = kTinyVocabulary,
                               .target = kTinyVocabulary};
  }
  return all;
}

std::ostream& operator<<(std::ostream& out, const TinyModel& model) {
  return out << model.name;
}

std::string tiny_model_name(const TinyModel& model) { return model.name; }

Batch tiny_batch(uint64_t seed, int pairs) {
  std::vector<Example> examples;
  const RandomKey key(seed);
  for (int i = 0; i < pairs; ++i) {
    const RandomKey mine = key.with(i);
    examples.push_back(
        {.source = words(mine.with("s"),
                         1 + static_cast<int>(random_below(mine, 0, 7))),
         .target = words(mine.with("t"),
                         1 + static_cast<int>(random_below(mine, 1, 7))),
         .line = i});
  }
  return make_batch(std::move(examples), {.source = kEnd, .target = kEnd});
}

Batch only(const Batch& batch, int b) {
  const auto part = [b](const Ids& ids) {
    const std::vector<int> some(ids.ids.begin() + ids.of.begin(b),
                                ids.ids.begin() + ids.of.end(b));
    const int length = ids.of.length(b);
    return Ids{some, Segments::from_lengths({&length, 1})};
  };
  return {.source = part(batch.source),
          .target = part(batch.target),
          .lines = {batch.lines[b]}};
}

}  // namespace fovea::testing
