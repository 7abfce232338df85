#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/attend/block.h"
#include "fovea/base/fields.h"
#include "fovea/encode/encoder.h"
#include "fovea/layers/cell.h"
#include "fovea/layers/feed_forward.h"

namespace fovea {

// Any encoder, by name. Which fields matter depends on the kind.
struct EncoderConfig {
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
  // recurrent
  CellKind cell = CellKind::kGru;
  bool bidirectional = true;
  bool bottom_only = false;
  bool reverse = false;
  int residual_from = 0;
  float forget_bias = 1.0f;
  RecurrentInit init = RecurrentInit::kXavier;
  // convolution, cnn
  int kernel = 3;
  std::vector<int> widths = {}, kernels = {};

  void fields(auto&& field) {
    field("kind", kind, "what encodes; 'fovea train --list' names all");
    field("layers", layers, "layers of the encoder");
    field("width", width, "width of its states, both directions together");
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
    field("options", options,
          "options of self-attention and of lstmn, as name=value");
    field("cell", cell, "of a recurrent encoder");
    field("bidirectional", bidirectional, "read from both ends");
    field("bottom-only", bottom_only,
          "only the bottom layer reads both ways, with the whole width each");
    field("reverse", reverse,
          "layers that read one way begin at the end (Sutskever et al. 2014)");
    field("residual-from", residual_from,
          "first layer (from 1) with a residual connection; 0: none");
    field("forget-bias", forget_bias, "of LSTM cells, at first");
    field("init", init, "how weights of recurrent layers begin");
    field("kernel", kernel, "rows that a convolution sees");
    field("widths", widths,
          "of layers of convolutions one by one; empty: all have 'width'");
    field("kernels", kernels,
          "likewise of their kernels; of cnn, kernels side by side");
  }
};

// One line for each encoder there is.
struct EncoderEntry {
  const char* name;
  const char* help;
  std::unique_ptr<Encoder> (*make)(const EncoderConfig& config, int in,
                                   RandomKey key);
};
std::span<const EncoderEntry> encoder_registry();

// `in` is the width of the embeddings. An unknown kind is an error that tells
// the nearest.
std::unique_ptr<Encoder> make_encoder(const EncoderConfig& config, int in,
                                      RandomKey key);

}  // namespace fovea
