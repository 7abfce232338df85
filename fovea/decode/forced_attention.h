#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/attend/trace.h"
#include "fovea/models/seq2seq.h"

namespace fovea {

// Attention of a decoder over the source.
struct CrossAttention {
  std::string layer;  // its name in records: "decoder.layer.2.cross"
  int heads = 0;

  friend bool operator==(const CrossAttention&,
                         const CrossAttention&) = default;
};

// All that a model has, the lowest layer first.
std::vector<CrossAttention> cross_attentions(const Seq2Seq& model);

// Lets a model write given translations, each without the end mark, and records
// what the trace asks for: a sequence for each pair, whose last query writes
// the end and whose last key is the source's end. Scores of words, the dearest
// part of force(), are not computed.
void record_attention(const Seq2Seq& model,
                      std::span<const std::vector<int>> sources,
                      std::span<const std::vector<int>> targets, Trace& trace);

}  // namespace fovea
