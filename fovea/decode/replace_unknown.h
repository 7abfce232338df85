#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "fovea/data/tokenizer.h"

namespace fovea {

// Source words and what they are in the target language.
using Dictionary = std::map<std::string, std::string, std::less<>>;

// A source text, its tokens and the attention of a translation's tokens over
// them, with the end mark: rows of source.size() + 1.
struct AttendedSource {
  std::string_view text;
  std::span<const Piece> tokens;  // whose bytes are the text's
  std::span<const float> weights;
};

// Puts a word in the place of what a token stands for, white space apart.
void put_word(JoinedText& translation, size_t token, std::string_view word);

// Which tokens of a translation are replaced.
struct UnknownTokens {
  int id;            // of the unknown word
  size_t first = 0;  // those before were given and stay
};

// Puts in the place of each unknown word the source word that it looks at most,
// or what the dictionary has for that. Without attention nothing is replaced.
// (Luong et al. 2015, "Addressing the rare word problem".)
void replace_unknown(JoinedText& translation, const UnknownTokens& unknown,
                     const AttendedSource& source,
                     const Dictionary& dictionary);

}  // namespace fovea
