#include "fovea/data/word_ranges.h"

namespace fovea {

std::vector<std::pair<int, int>> word_ranges(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  std::vector<std::pair<int, int>> words;
  size_t end = 0;
  while (true) {
    const size_t begin = text.find_first_not_of(kBlanks, end);
    if (begin == std::string_view::npos) return words;
    end = text.find_first_of(kBlanks, begin);
    if (end == std::string_view::npos) end = text.size();
    words.emplace_back(static_cast<int>(begin), static_cast<int>(end));
  }
}

}  // namespace fovea
