#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/attend/block.h"
#include "fovea/attend/composed.h"
#include "fovea/base/fields.h"
#include "fovea/layers/cell.h"
#include "fovea/layers/feed_forward.h"
#include "fovea/predict/predictor.h"

namespace fovea {

// Any decoder, by name. Which fields matter depends on the kind.
struct DecoderConfig {
  std::string kind = "transformer";
  int layers = 3;
  int width = 256;
  float dropout = 0.1f;  // between layers; of sublayers in a Transformer
  // transformer
  int heads = 4;
  int ffn = 1024;
  NormOrder norm = NormOrder::kPre;
  Activation activation = Activation::kRelu;
  float scale = 0.0f;  // of self-attention; 0: 1 / sqrt(head size)
  float attention_dropout = 0.0f;
  float activation_dropout = 0.0f;
  std::string position = "none";
  std::vector<std::string> options = {};
  int alignment_layer = -1;
  // recurrent
  CellKind cell = CellKind::kGru;
  int residual_from = 0;
  bool feed = true;
  bool new_context = false;
  bool every_step = false;
  bool query_word = false;
  int readout = 0;
  float forget_bias = 1.0f;
  RecurrentInit init = RecurrentInit::kXavier;
  // convolution
  int kernel = 3;
  std::vector<int> widths = {}, kernels = {};
  bool scale_gradient = true;

  void fields(auto&& field) {
    field("kind", kind, "what decodes; 'fovea train --list' names all");
    field("layers", layers, "layers of the decoder");
    field("width", width, "width of its states");
    field("dropout", dropout, "rate between layers or of sublayers");
    field("heads", heads, "heads of self-attention");
    field("ffn", ffn, "hidden width of the feed-forward sublayer");
    field("norm", norm, "norm before or after each sublayer");
    field("activation", activation, "of the feed-forward sublayer");
    field("scale", scale, "factor of self-attention; 0: 1/sqrt(head size)");
    field("attention-dropout", attention_dropout, "rate of attention weights");
    field("activation-dropout", activation_dropout,
          "rate of the feed-forward sublayer's hidden numbers");
    field("position", position, "how positions enter self-attention");
    field("options", options, "options of self-attention, as name=value");
    field("alignment-layer", alignment_layer,
          "layer whose attention to the source is the alignment; negative: "
          "counted from the last");
    field("cell", cell, "of a recurrent decoder");
    field("residual-from", residual_from,
          "first layer (from 1) with a residual connection; 0: none");
    field("feed", feed, "input feeding (Luong et al. 2015)");
    field("new-context", new_context,
          "upper layers get the context of this step, not of the one before");
    field("every-step", every_step,
          "of a bottleneck: its context enters each step, not only the first");
    field("query-word", query_word,
          "the query of rnnsearch is [word; state], not the state alone");
    field("readout", readout,
          "width of the maxout readout, 0: half the state; of what a "
          "convolution gives, 0: as embedded words");
    field("forget-bias", forget_bias, "of LSTM cells, at first");
    field("init", init, "how weights of recurrent layers begin");
    field("kernel", kernel, "rows that a convolution sees");
    field("widths", widths,
          "of layers of convolutions one by one; empty: all have 'width'");
    field("kernels", kernels, "likewise of their kernels");
    field("scale-gradient", scale_gradient,
          "of convolutions: the encoder's gradient is divided by twice the "
          "number of attentions (Gehring et al. 2017)");
  }
};

// Widths of what a decoder is given.
struct DecoderSizes {
  int words = 0;     // an embedded word
  int source = 0;    // a state of the encoder
  int embedded = 0;  // what the encoder was given
  // Encoder::widths(), for recurrent decoders: they begin with the encoder's
  // last states, or else with the mean of its states.
  EncodedWidths encoded = {};
};

struct DecoderEntry {
  const char* name;
  const char* help;
  // `attend` is the attention over the source.
  std::unique_ptr<SequencePredictor> (*make)(const DecoderConfig& config,
                                             const ComposedConfig& attend,
                                             const DecoderSizes& sizes,
                                             RandomKey key);
};
std::span<const DecoderEntry> decoder_registry();

// An unknown kind is an error that tells the nearest.
std::unique_ptr<SequencePredictor> make_decoder(const DecoderConfig& config,
                                                const ComposedConfig& attend,
                                                const DecoderSizes& sizes,
                                                RandomKey key);

}  // namespace fovea
