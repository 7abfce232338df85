#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/tokenizer.h"

namespace fovea {

// What was translated by itself: a whole text, or a part of a long one.
struct TranslatedPart {
  // Tokens without end marks, and their bytes in the whole texts. The source's
  // are here if weights were asked for.
  std::vector<Piece> source = {}, target = {};
  // Of the target's tokens and, unless it was cut off, of the end mark.
  std::vector<float> log_probabilities = {};
  // Attention, a row for each of those: over the source's tokens and its end
  // mark. Empty if it was not asked for.
  std::vector<float> weights = {};

  size_t keys() const { return source.size() + 1; }
};

struct Translation {
  std::string text = {};
  float score = 0;            // by which translations are ranked
  float log_probability = 0;  // of all tokens and end marks
  bool cut_off = false;       // the longest length came before the end
  std::vector<TranslatedPart> parts = {};  // none: the source was blank
};

}  // namespace fovea
