#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/text_range.h"
#include "fovea/decode/hypothesis.h"
#include "fovea/decode/translate_options.h"

namespace fovea {

// A part of a source text and what was found for it.
struct FoundPart {
  TextRange range;                          // of the source text
  std::vector<Piece> tokens;                // of the part alone
  std::vector<Hypothesis> hypotheses = {};  // best first
  // For each token of the prefix: the word that it stands for, if it is the
  // unknown one.
  std::vector<std::string> given = {};
};

// The n_best translations of a text from those of its parts: those whose scores
// have the largest sums, and of those that differ by spaces at most the best,
// unless they were drawn. What stood between two parts stands between
// their translations; a space where a script without spaces was cut and the
// translation's has them.
std::vector<Translation> stitch(std::string_view source,
                                std::span<const FoundPart> parts,
                                const Tokenizer& target,
                                const TranslateOptions& options);

}  // namespace fovea
