#include "fovea/eval/bleu_tokens.h"

#include "fovea/base/unicode_case.h"
#include "fovea/eval/tokenize_13a.h"

namespace fovea {
namespace {

constexpr std::string_view kAsciiSpace = " \t\n\v\f\r";

bool is_ascii_space(char c) {
  return kAsciiSpace.find(c) != std::string_view::npos;
}

std::vector<int> split_at_ascii_space(std::string_view text,
                                      WordNumbers& words) {
  std::vector<int> tokens;
  size_t end = 0;
  for (size_t begin = text.find_first_not_of(kAsciiSpace);
       begin != std::string_view::npos;
       begin = text.find_first_not_of(kAsciiSpace, end)) {
    end = std::min(text.find_first_of(kAsciiSpace, begin), text.size());
    tokens.push_back(words.number(text.substr(begin, end - begin)));
  }
  return tokens;
}

}  // namespace

std::string split_compounds(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (i + 2 < text.size() && text[i + 1] == '-' && !is_ascii_space(text[i]) &&
        !is_ascii_space(text[i + 2])) {
      out += " ##AT##-##AT## ";
      out += text[i + 2];
      i += 2;
    }
  }
  return out;
}

std::vector<int> bleu_tokens(std::string_view line, const BleuOptions& options,
                             WordNumbers& words) {
  std::string text = options.lower_case ? lower_case(line) : std::string(line);
  if (options.split_compounds) text = split_compounds(text);
  switch (options.tokenizer) {
    case BleuTokenizer::k13a:
      return words.of_words(separate_13a(text));
    case BleuTokenizer::kNone:
      return words.of_words(text);
    case BleuTokenizer::kAsciiSpace:
      return split_at_ascii_space(text, words);
  }
  return {};
}

}  // namespace fovea
