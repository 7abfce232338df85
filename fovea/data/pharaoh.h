#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/data/batch.h"
#include "fovea/data/tokenizer.h"

namespace fovea {

// Links between words, "0-0 1-2 2-1": source first, counted from 0. Nothing if
// the line is no such list; an empty line is an empty list.
using WordLinks = std::vector<std::pair<int, int>>;
std::optional<WordLinks> read_pharaoh(std::string_view line);
std::string write_pharaoh(const WordLinks& links);

// A text and how it is cut.
struct CutText {
  std::string_view text;
  std::span<const Piece> pieces;
};

// Links every token of a word to every token of the words it is linked to.
// Words stand between blanks; links to words that are not there are left out.
TokenLinks token_links(const WordLinks& words, const CutText& source,
                       const CutText& target);

}  // namespace fovea
