#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fovea/data/pharaoh.h"
#include "fovea/data/text_range.h"
#include "fovea/decode/translation.h"

namespace fovea {

// Words stand between blanks.
std::vector<TextRange> words_of(std::string_view text);

// The word of each token: the first that ends behind the token's begin. The
// number of words if there is none.
std::vector<int> words_of_tokens(std::span<const TextRange> words,
                                 std::span<const Piece> tokens);

// Attention from words to words: summed over the tokens of a source word, the
// mean over those of a target word. What end marks get is left out.
struct WordAlignment {
  struct Link {
    int source, target;
    float weight;  // above 0
  };
  std::vector<TextRange> source, target;  // the words
  std::vector<Link> links;                // by target, then by source
};

// A token's attention is that of the step that writes it or, with a shift of 1,
// that of the next step, which reads it (Luong et al. 2015 take it so for some
// models); where a translation was cut off its last token has none then.
WordAlignment align_words(std::string_view source,
                          const Translation& translation, int shift = 0);

// Of one link; 0 if there is none.
float weight_of(const WordAlignment& alignment, int source, int target);

// The weights of all links, [target words, source words].
std::vector<float> dense_weights(const WordAlignment& alignment);

// The source word that each target word looks at most; the first of equals.
WordLinks strongest_links(const WordAlignment& alignment);
// All links of at least this weight.
WordLinks links_from(const WordAlignment& alignment, float weight);

// Log-probabilities by words; together those of the translation.
struct WordScores {
  std::vector<float> words;
  float end = 0;  // of end marks, and of tokens behind the last word
};
WordScores score_words(const Translation& translation);

}  // namespace fovea
