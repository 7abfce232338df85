#pragma once

#include "fovea/attend/composed.h"
#include "fovea/base/fields.h"
#include "fovea/embed/token.h"
#include "fovea/encode/registry.h"
#include "fovea/predict/registry.h"

namespace fovea {

// Which matrices of a model are one.
enum class Tie {
  kNone,
  kOutput,  // embeddings of target words, and what scores them
  kAll,     // those of source words, too: needs one vocabulary
};
constexpr EnumName<Tie> kTies[] = {
    {Tie::kNone, "none"}, {Tie::kOutput, "output"}, {Tie::kAll, "all"}};
constexpr auto& enum_names(Tie) { return kTies; }

// The sizes of vocabularies and the marks of a target sentence.
struct VocabularyConfig {
  int source = 0, target = 0;
  int begin = 1, end = 2;

  void fields(auto&& field) {
    field("source", source, "words that a source may have");
    field("target", target, "words that a target may have");
    field("begin", begin, "the word before a target sentence");
    field("end", end, "the word after a sentence");
  }
};

// A sequence-to-sequence model: embed, encode, attend, predict.
struct ModelConfig {
  EmbedConfig embed;
  EncoderConfig encode;
  ComposedConfig attend;
  DecoderConfig predict;
  Tie tie = Tie::kAll;
  bool output_bias = false;
  bool output_norm = false;
  VocabularyConfig vocabulary;

  void fields(auto&& field) {
    part_fields(field);
    field("vocabulary", vocabulary, "");
  }
  // Those that can be chosen: the vocabulary follows from the text.
  void part_fields(auto&& field) {
    field("embed", embed, "");
    field("encode", encode, "");
    field("attend", attend, "");
    field("predict", predict, "");
    field("tie", tie, "which embeddings are shared");
    field("output-bias", output_bias, "scores of words have a bias");
    field("output-norm", output_norm,
          "what scores words is weight-normalised, with a bias");
  }
};

}  // namespace fovea
