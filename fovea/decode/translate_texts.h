#pragma once

#include <span>
#include <vector>

#include "fovea/data/long_text.h"
#include "fovea/data/shortlist.h"
#include "fovea/decode/prepared_text.h"
#include "fovea/decode/translate_options.h"

namespace fovea {

// Models that vote, at least one, with what goes with them. All must outlive
// it.
struct Voters {
  std::span<const Seq2Seq* const> models;
  const Tokenizer &source, &target;
  const Shortlist* shortlist = nullptr;  // may be null
  std::span<const int> blank = {};  // words of the target: see SearchConfig
  int source_length = 0;            // that they have learnt from; 0: not known
};

// The options with what every search for text needs. A usage error if the
// models cannot do what is asked for.
TranslateOptions complete(const Voters& voters,
                          const TranslateOptions& options);

// Tokens of a text that is translated whole.
int longest_part(const Voters& voters, const TranslateOptions& options);

// A text in parts.
PreparedText prepare(const Voters& voters, const TranslateRequest& request,
                     const TranslateOptions& options);

// See Translator::translate.
std::vector<std::vector<Translation>> translate_texts(
    const Voters& voters, std::span<const TranslateRequest> requests,
    const TranslateOptions& options, const TranslateWatch& watch = {});

}  // namespace fovea
