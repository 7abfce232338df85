#include "fovea/eval/word_numbers.h"

#include "fovea/base/unicode.h"
#include "fovea/base/words.h"

namespace fovea {

int WordNumbers::number(std::string_view word) {
  const auto found = numbers_.find(word);
  if (found != numbers_.end()) return found->second;
  const int next = static_cast<int>(numbers_.size());
  numbers_.emplace(word, next);
  return next;
}

std::vector<int> WordNumbers::of_words(std::string_view text) {
  std::vector<int> numbers;
  for (const std::string_view word : split_words(text)) {
    numbers.push_back(number(word));
  }
  return numbers;
}

std::vector<int> characters_of(std::string_view text,
                               std::string_view between) {
  std::string joined;
  for (const std::string_view word : split_words(text)) {
    if (!joined.empty()) joined += between;
    joined += word;
  }
  const std::u32string points = code_points(joined);
  return {points.begin(), points.end()};
}

}  // namespace fovea
