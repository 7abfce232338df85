#pragma once

#include <string>
#include <vector>

#include "fovea/data/shortlist.h"
#include "fovea/decode/search.h"
#include "fovea/decode/stitch.h"
#include "fovea/decode/translator.h"

namespace fovea {

// A text as the search takes it.
struct PreparedText {
  std::string text;                          // UTF-8, mended
  std::vector<FoundPart> parts;              // none: blank
  std::vector<std::vector<int>> ids;         // of each part
  std::vector<int> prefix;                   // of the first part
  std::vector<std::vector<int>> shortlists;  // of each part, or none
  uint64_t number = 0;

  // A part to search for, while this text stays where it is.
  SearchSource source(size_t part) const;
};

// Cuts a text into tokens and, where it is too long, into parts.
PreparedText prepare_text(const TranslateRequest& request,
                          const Tokenizer& source, const Tokenizer& target,
                          int max_input);

// Adds the words that translations may have: those of the shortlist, of the
// prefix, and the unknown one.
void add_shortlists(PreparedText& text, const Shortlist& shortlist,
                    int unknown);

}  // namespace fovea
