#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/encode/registry.h"
#include "fovea/predict/registry.h"

namespace fovea::testing {

// A tiny encoder and decoder over a ragged batch of random embeddings. All
// parameters are random: none is zero.
struct DecoderCase {
  EncoderConfig encoder = {
      .kind = "recurrent", .layers = 1, .width = 8, .dropout = 0.0f};
  DecoderConfig decoder = {
      .kind = "rnnsearch", .layers = 1, .width = 6, .dropout = 0.0f};
  ComposedConfig attend = {.score = "additive"};
  int words = 4;                              // width of an embedding
  std::vector<int> source = {4, 1, 3, 6, 2};  // lengths
  std::vector<int> target = {2, 5, 0, 3, 5};
  uint64_t seed = 1;

  Segments source_segments() const { return Segments::from_lengths(source); }
  Segments target_segments() const { return Segments::from_lengths(target); }
  Tensor source_rows() const;  // [N,words]
  Tensor target_rows() const;  // [M,words]
};

// Both, made random.
struct TinyModel {
  explicit TinyModel(const DecoderCase& c, float scale = 0.5f);

  Forced forced(const Var& source, const Segments& source_of, const Var& target,
                const Segments& target_of, const Pass& pass = {},
                bool want_weights = false) const;
  Forced forced(const DecoderCase& c, const Pass& pass = {},
                bool want_weights = false) const;
  void params(Params& p);

  std::unique_ptr<Encoder> encoder;
  std::unique_ptr<SequencePredictor> decoder;
};

// The hidden rows of teacher forcing, step by step as a search does it: in the
// order of the batch.
Tensor step_by_step(const TinyModel& model, const DecoderCase& c);

// The attentions that a recurrent decoder must be able to use, with a name
// each.
struct NamedAttention {
  std::string name;
  ComposedConfig config;
};
std::vector<NamedAttention> many_attentions();

}  // namespace fovea::testing
