#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "fovea/data/text_range.h"

namespace fovea {

// How many tokens a text has.
using CountTokens = std::function<int(std::string_view)>;

// Cuts UTF-8 text of more than `most` tokens into parts: at the ends of
// sentences, each a part; within one that is too long itself at other
// punctuation, then between words, then characters, as few cuts as it takes.
// Only white space lies between parts. A single code point is never cut,
// whatever tokens it has.
std::vector<TextRange> cut_long_text(std::string_view text, int most,
                                     const CountTokens& count);

}  // namespace fovea
