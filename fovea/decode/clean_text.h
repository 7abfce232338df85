#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/text_range.h"
#include "fovea/data/tokenizer.h"

namespace fovea {

// A text as a model has learnt to read it: no white space around it, one space
// for a run of white space, no byte order marks. A single white space character
// that the vocabulary has a token for, such as a no-break space, stays.
struct CleanText {
  std::string text;
  std::vector<int> from;  // where each byte, and the end, was before

  // The bytes that a part had before.
  TextRange before(const TextRange& part) const {
    return {from[part.begin], from[part.end]};
  }
  // The tokens of a part, and the bytes of what it was before.
  std::vector<Piece> pieces(const TextRange& part,
                            const Tokenizer& tokenizer) const;
};

// `text` is UTF-8.
CleanText clean_text(std::string_view text, const Tokenizer& tokenizer);

// The tokens of a text that is cleaned first, and their bytes in the text as it
// is. Bytes that are no UTF-8 count as U+FFFD.
std::vector<Piece> clean_pieces(std::string_view text,
                                const Tokenizer& tokenizer);

}  // namespace fovea
