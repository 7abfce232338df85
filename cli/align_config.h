#pragma once

#include <string>
#include <vector>

#include "fovea/data/symmetric_aligner.h"
#include "fovea/decode/choose_attention.h"

namespace fovea::cli {

enum class LinkFormat { kPharaoh, kNaacl };
constexpr EnumName<LinkFormat> kLinkFormats[] = {
    {LinkFormat::kPharaoh, "pharaoh"}, {LinkFormat::kNaacl, "naacl"}};
constexpr auto& enum_names(LinkFormat) { return kLinkFormats; }

enum class Shift { kNow, kNext, kAuto };
constexpr EnumName<Shift> kShifts[] = {
    {Shift::kNow, "0"}, {Shift::kNext, "1"}, {Shift::kAuto, "auto"}};
constexpr auto& enum_names(Shift) { return kShifts; }

// The flags of fovea align that a file may hold, too.
struct AlignConfig {
  std::string src, tgt, more_src, more_tgt;
  std::string forward_links, backward_links;
  LinkFormat format = LinkFormat::kPharaoh;
  SymmetricAlignerConfig statistical = {.hmm_iterations = 5};
  std::string gold;
  int gold_first = 0;
  std::string model, reverse_model;
  Precision precision = Precision::kFloat32;
  int batch_size = ForcedBatch().size;
  std::string dev_src, dev_tgt, dev_gold;
  std::string layer = "auto";
  std::vector<int> heads;
  Shift shift = Shift::kAuto;
  float threshold = 0;

  void fields(auto&& field) {
    field("src", src, "file of source lines");
    field("tgt", tgt, "file of their translations, line by line");
    field("more-src", more_src,
          "more text to learn from, which is not aligned");
    field("more-tgt", more_tgt, "its translation, line by line");
    field("forward-links", forward_links,
          "links that another aligner found, instead of a text to align; they\n"
          "are joined with those of --backward-links");
    field("backward-links", backward_links,
          "those of the other direction, but the source word first, too");
    field("format", format,
          "of the output: pharaoh, '0-0 1-2' for each line, or naacl, a line\n"
          "for each link");
    field("symmetrise", statistical.how,
          "how both directions become one: forward or backward (one alone),\n"
          "intersection, union, grow-diag, grow-diag-final or\n"
          "grow-diag-final-and");
    field("gold", gold,
          "file of the right links, of either format: tells the error rate");
    field("gold-first", gold_first,
          "number of a sentence's first word in gold links as pharaoh: 0, 1");
    statistical.aligner.fields(field);
    field("hmm-iterations", statistical.hmm_iterations,
          "then rounds of a hidden Markov model, in which both directions "
          "learn\nto agree; 0 takes half of the time and aligns worse");
    field("model", model,
          "folder of a model: words are aligned by its attention while it is\n"
          "made to write the target");
    field("reverse-model", reverse_model,
          "folder of a model of the other direction");
    field("precision", precision, "of the models' weights: float32, int8");
    field("batch-size", batch_size, "pairs that a model computes together");
    field("dev-src", dev_src,
          "text with gold links, by which layer and heads are chosen");
    field("dev-tgt", dev_tgt, "its translation, line by line");
    field("dev-gold", dev_gold, "its gold links, of either format");
    field("layer", layer,
          "whose attention counts: a number from 0, or from the last, -1; auto"
          ":\nthe one, with its heads, that fits --dev-gold best, or else the\n"
          "statistical aligner");
    field("heads", heads, "of --layer, whose mean counts; none: all");
    field("shift", shift,
          "0: attention of the step that writes a word; 1: of the next one,\n"
          "which reads it; auto: what fits better, or 0 with --layer");
    field("threshold", threshold,
          "all links of at least that weight; 0: the strongest of each word");
  }
};

}  // namespace fovea::cli
