#pragma once

#include <string_view>
#include <vector>

#include "fovea/data/text_range.h"

namespace fovea {

// The sentences of UTF-8 text in any language, without the white space around
// them. A sentence ends at . ! ? … and the like with the quotes and brackets
// that close behind, if white space follows and then no small letter; the full
// stops of Chinese and Japanese need none. Abbreviations, initials and numbers
// like 3. do not end one. Where it is in doubt there is no cut.
std::vector<TextRange> split_sentences(std::string_view text);

// Parts that end at a comma, semicolon, colon or dash.
std::vector<TextRange> split_clauses(std::string_view text);

}  // namespace fovea
