#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/data/long_text.h"
#include "fovea/data/shortlist.h"
#include "fovea/decode/search.h"
#include "fovea/decode/stitch.h"
#include "fovea/decode/translate_options.h"

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

// Cuts a text into tokens and, where it has more than `longest_part`, into
// parts.
PreparedText prepare_text(const TranslateRequest& request,
                          const Tokenizer& source, const Tokenizer& target,
                          int longest_part);

// The words that the translation of some tokens may have, sorted: those of the
// shortlist, of the prefix, and the unknown one.
std::vector<int> words_allowed(const Shortlist& shortlist,
                               std::span<const int> ids,
                               std::span<const int> prefix, int unknown);

// Adds the words that translations of the parts may have.
void add_shortlists(PreparedText& text, const Shortlist& shortlist,
                    int unknown);

}  // namespace fovea
