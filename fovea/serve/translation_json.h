#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/decode/translation.h"
#include "fovea/decode/word_alignment.h"
#include "fovea/serve/json_fields.h"

namespace fovea {

// Which alignment an answer has.
enum class AlignmentKind { kNone, kWords, kTokenWeights, kSoft };
AlignmentKind alignment_kind(const std::string& name);  // "", "words", ...

struct TranslationStyle {
  AlignmentKind alignment = AlignmentKind::kNone;
  float threshold = 0;  // of links; 0: each word's strongest
  bool word_scores = false;
  bool n_best = false;  // a list, too

  bool shows_weights() const {
    return alignment == AlignmentKind::kTokenWeights ||
           alignment == AlignmentKind::kSoft;
  }
};

// The words of both texts with their characters (code points) [begin, end), and
// links between them.
Json word_links_json(const WordAlignment& alignment, const WordLinks& links,
                     std::string_view source, std::string_view target);
// Likewise with a row of weights for each target word.
Json word_weights_json(const WordAlignment& alignment, std::string_view source,
                       std::string_view target);
// {"words": [-0.5], "end": -1.25}
Json word_scores_json(const WordScores& scores);

// As text shows it: six digits.
double rounded(float value);

// Tokens as people read them, each with its word, and the end mark of each part
// with -1: {"tokens": [...], "words": [...]}
Json tokens_json(const Tokenizer& tokenizer, std::string_view text,
                 const std::vector<std::vector<Piece>>& parts);
// {"token": "▁cat", "id": 7, "begin": 0, "end": 3} of each.
Json pieces_json(const Tokenizer& tokenizer, std::string_view text,
                 std::span<const Piece> pieces);

// What is said of a text: its best translation and, if asked for, all of them.
struct Tokenizers {
  const Tokenizer &source, &target;
};
Json translations_json(const TranslationStyle& style, const std::string& source,
                       const std::vector<Translation>& translations,
                       const Tokenizers& tokenizers);
// Adds alignment and word scores to an object, as the style says.
void add_details(Json& object, const TranslationStyle& style,
                 const std::string& source, const Translation& translation,
                 const Tokenizers& tokenizers);

}  // namespace fovea
