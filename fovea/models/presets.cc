#include "fovea/models/presets.h"

#include <algorithm>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"

namespace fovea {
namespace {

struct TransformerSize {
  int layers, width, heads, ffn;
  float dropout;
  NormOrder norm = NormOrder::kPre;
};

// SPEC D8.
ModelConfig transformer(const TransformerSize& size) {
  ModelConfig c;
  c.embed.width = c.encode.width = c.predict.width = size.width;
  c.embed.dropout = c.encode.dropout = c.predict.dropout = size.dropout;
  c.encode.layers = c.predict.layers = size.layers;
  c.encode.heads = c.predict.heads = c.attend.heads = size.heads;
  c.encode.ffn = c.predict.ffn = size.ffn;
  c.encode.norm = c.predict.norm = size.norm;
  return c;
}

ModelConfig transformer_mini() { return transformer({2, 64, 4, 128, 0.1f}); }
ModelConfig transformer_tiny() { return transformer({4, 128, 4, 256, 0.3f}); }
ModelConfig transformer_small() { return transformer({3, 256, 4, 1024, 0.1f}); }
ModelConfig transformer_medium() {
  return transformer({6, 512, 8, 2048, 0.1f});
}
ModelConfig transformer_base() {
  return transformer({6, 512, 8, 2048, 0.1f, NormOrder::kPost});
}
ModelConfig transformer_big() {
  return transformer({6, 1024, 16, 4096, 0.3f, NormOrder::kPost});
}

// What recurrent models have in common: words are scored by a matrix of their
// own, nothing is added for places, and attention projects no values.
ModelConfig recurrent(const char* decoder, int width, float dropout) {
  ModelConfig c;
  c.embed.scale = false;
  c.embed.deviation = 0.1f;
  c.embed.position.kind = PositionKind::kNone;
  c.encode.kind = "recurrent";
  c.predict.kind = decoder;
  c.embed.width = c.encode.width = c.predict.width = width;
  c.embed.dropout = c.encode.dropout = c.predict.dropout = dropout;
  c.encode.layers = c.predict.layers = 1;
  c.attend.value_proj = c.attend.out_proj = false;
  c.tie = Tie::kNone;
  c.output_bias = true;
  return c;
}

// SPEC D4. `width` is that of one direction of the encoder.
ModelConfig bahdanau(int width, int embedding, float dropout) {
  ModelConfig c = recurrent("rnnsearch", width, dropout);
  c.encode.width = 2 * width;
  c.embed.width = embedding;
  c.attend.score = "additive";
  return c;
}
ModelConfig rnnsearch() {
  ModelConfig c = bahdanau(1000, 620, 0.0f);
  c.embed.deviation = 0.01f;
  c.encode.init = c.predict.init = RecurrentInit::kBahdanau;
  c.attend.options = {"init=bahdanau"};
  return c;
}
ModelConfig rnnsearch_small() { return bahdanau(512, 512, 0.1f); }
ModelConfig rnnsearch_tiny() { return bahdanau(64, 64, 0.1f); }

// SPEC D5.
ModelConfig luong_of(int layers, int width, float dropout) {
  ModelConfig c = recurrent("luong", width, dropout);
  c.encode.layers = c.predict.layers = layers;
  c.encode.cell = c.predict.cell = CellKind::kLstm;
  c.encode.bidirectional = false;
  c.attend.score = "dot";
  c.attend.project = false;
  return c;
}
ModelConfig luong() {
  ModelConfig c = luong_of(4, 1000, 0.2f);
  c.encode.reverse = true;
  c.encode.init = c.predict.init = RecurrentInit::kLuong;
  c.encode.forget_bias = c.predict.forget_bias = 0.0f;
  c.embed.bound = 0.1f;
  c.attend.score = "general";
  c.attend.extent = "local_p";
  c.attend.options = {"init=luong"};
  return c;
}
ModelConfig luong_small() { return luong_of(1, 512, 0.1f); }
ModelConfig luong_tiny() { return luong_of(1, 64, 0.1f); }

// SPEC D6.
ModelConfig gnmt_of(int layers, int width, float dropout) {
  ModelConfig c = recurrent("gnmt", width, dropout);
  c.encode.layers = c.predict.layers = layers;
  c.encode.cell = c.predict.cell = CellKind::kLstm;
  c.encode.bottom_only = true;
  c.encode.residual_from = c.predict.residual_from = 3;
  c.attend.score = "additive";
  return c;
}
ModelConfig gnmt() {
  ModelConfig c = gnmt_of(8, 1024, 0.2f);
  c.embed.bound = 0.1f;
  c.encode.init = c.predict.init = RecurrentInit::kLuong;
  c.attend.options = {"init=luong", "normalise=true"};
  return c;
}
// Its encoder's second layer reads rows of another width than its own, so only
// the decoder can have a residual connection.
ModelConfig gnmt_tiny() {
  ModelConfig c = gnmt_of(2, 128, 0.1f);
  c.predict.residual_from = 2;
  return c;
}

// SPEC D3: one vector for the whole sentence.
ModelConfig bottleneck_of(int layers, int width, float dropout) {
  ModelConfig c = recurrent("bottleneck", width, dropout);
  c.encode.layers = c.predict.layers = layers;
  c.encode.cell = c.predict.cell = CellKind::kLstm;
  c.encode.bidirectional = false;
  c.encode.reverse = true;
  return c;
}
ModelConfig bottleneck() { return bottleneck_of(4, 1000, 0.0f); }
ModelConfig bottleneck_small() { return bottleneck_of(1, 512, 0.1f); }
ModelConfig bottleneck_tiny() { return bottleneck_of(1, 64, 0.1f); }

// SPEC B13: an encoder that attends to its own past, then as RNNsearch.
ModelConfig lstmn_of(int width, int embedding, float dropout) {
  ModelConfig c = bahdanau(width, embedding, dropout);
  c.encode.kind = "lstmn";
  c.encode.width = width;
  return c;
}
ModelConfig lstmn() { return lstmn_of(450, 300, 0.5f); }
ModelConfig lstmn_tiny() { return lstmn_of(64, 64, 0.1f); }

// Runs of layers that are alike.
struct ConvolutionRun {
  int layers, width, kernel;
};
using ConvolutionRuns = std::vector<ConvolutionRun>;

// Lists only where layers differ: --layers and --width change the others.
void set_layers(const ConvolutionRuns& runs, auto& part) {
  part.kind = "convolution";
  part.layers = 0;
  part.width = runs.back().width;
  part.kernel = runs.back().kernel;
  for (const ConvolutionRun& run : runs) {
    part.layers += run.layers;
    if (runs.size() == 1) break;
    part.widths.insert(part.widths.end(), run.layers, run.width);
    part.kernels.insert(part.kernels.end(), run.layers, run.kernel);
  }
}

struct ConvolutionShape {
  ConvolutionRuns encoder, decoder;
  int embedded, readout;  // 0: as embedded
  float dropout;
};

// SPEC D7.
ModelConfig convs2s(const ConvolutionShape& shape) {
  ModelConfig c;
  set_layers(shape.encoder, c.encode);
  set_layers(shape.decoder, c.predict);
  c.embed.width = shape.embedded;
  c.embed.scale = false;
  c.embed.deviation = 0.1f;
  c.embed.position = {
      .kind = PositionKind::kLearned,
      .learned = {
          .longest = 1024, .deviation = 0.1f, .beyond = BeyondTable::kClip}};
  c.embed.dropout = c.encode.dropout = c.predict.dropout = shape.dropout;
  c.predict.readout = shape.readout;
  c.attend.score = "dot";
  c.attend.project = c.attend.value_proj = c.attend.out_proj = false;
  c.tie = Tie::kNone;
  c.output_norm = true;
  return c;
}

ModelConfig convs2s_tiny() {
  return convs2s({{{4, 64, 3}}, {{4, 64, 3}}, 64, 0, 0.1f});
}
ModelConfig convs2s_iwslt() {
  return convs2s({{{4, 256, 3}}, {{3, 256, 3}}, 256, 0, 0.2f});
}
ModelConfig convs2s_en_de() {
  const ConvolutionRuns runs = {{9, 512, 3}, {4, 1024, 3}, {2, 2048, 1}};
  return convs2s({runs, runs, 768, 512, 0.2f});
}
ModelConfig convs2s_en_fr() {
  const ConvolutionRuns runs = {
      {6, 512, 3}, {4, 768, 3}, {3, 1024, 3}, {1, 2048, 1}, {1, 4096, 1}};
  return convs2s({runs, runs, 768, 512, 0.1f});
}

constexpr Preset kPresets[] = {
    {"transformer-mini", "Transformer of 2+2 layers, width 64, for toys",
     transformer_mini},
    {"transformer-tiny", "Transformer of 4+4 layers, width 128",
     transformer_tiny},
    {"transformer-small", "Transformer of 3+3 layers, width 256",
     transformer_small},
    {"transformer-medium", "Transformer of 6+6 layers, width 512, pre-norm",
     transformer_medium},
    {"transformer-base", "as Vaswani et al. 2017 printed it: post-norm",
     transformer_base},
    {"transformer-big", "the larger one of Vaswani et al. 2017",
     transformer_big},
    {"rnnsearch", "Bahdanau et al. 2015: GRU of 1000, additive attention",
     rnnsearch},
    {"rnnsearch-small", "the same, of width 512", rnnsearch_small},
    {"rnnsearch-tiny", "the same, of width 64", rnnsearch_tiny},
    {"luong", "Luong et al. 2015: 4 LSTM layers of 1000, local-p, feeding",
     luong},
    {"luong-small", "one LSTM layer of 512, dot attention, input feeding",
     luong_small},
    {"luong-tiny", "the same, of width 64", luong_tiny},
    {"gnmt", "Wu et al. 2016: 8 LSTM layers of 1024", gnmt},
    {"gnmt-tiny", "the same with 2 layers of 128, residual in the decoder",
     gnmt_tiny},
    {"bottleneck", "Sutskever et al. 2014: no attention, 4 LSTM layers",
     bottleneck},
    {"bottleneck-small", "no attention, one LSTM layer of 512",
     bottleneck_small},
    {"bottleneck-tiny", "the same, of width 64", bottleneck_tiny},
    {"lstmn", "Cheng et al. 2016: an encoder of 450 that attends to its past",
     lstmn},
    {"lstmn-tiny", "the same, of width 64", lstmn_tiny},
    {"convs2s-tiny", "convolutions: 4+4 layers of width 64, for toys",
     convs2s_tiny},
    {"convs2s", "the 4+3 layers of width 256 of Gehring et al. 2017",
     convs2s_iwslt},
    {"convs2s-en-de", "the 15+15 layers of theirs for English to German",
     convs2s_en_de},
    {"convs2s-en-fr", "likewise for English to French", convs2s_en_fr},
};

}  // namespace

std::span<const Preset> all_presets() { return kPresets; }

ModelConfig preset(const std::string& name) {
  std::vector<std::string> names;
  for (const Preset& p : kPresets) {
    if (name == p.name) return p.make();
    names.emplace_back(p.name);
  }
  fail(ErrorKind::kUsage, "no preset is named '", name, "'",
       did_you_mean(name, names));
}

SizeForData size_for_data(int64_t pairs) {
  if (pairs < 50000) {
    const int64_t words = pairs / 4 / 100 * 100;
    return {"transformer-tiny",
            static_cast<int>(std::clamp<int64_t>(words, 4000, 10000))};
  }
  if (pairs <= 500000) return {"transformer-small", 8000};
  return {"transformer-medium", 32000};
}

}  // namespace fovea
