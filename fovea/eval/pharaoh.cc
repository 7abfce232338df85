#include "fovea/eval/pharaoh.h"

#include <algorithm>
#include <charconv>

#include "fovea/base/check.h"
#include "fovea/base/words.h"

namespace fovea {
namespace {

// Takes a number off the front; false if there is none.
bool take_number(std::string_view& text, int& number) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.front() == '-') return false;
  text.remove_prefix(end - text.data());
  return true;
}

// The sign between its numbers, or 0 if it is no link.
char parse_link(std::string_view word, Link& link) {
  if (!take_number(word, link.source) || word.empty()) return 0;
  const char sign = word.front();
  word.remove_prefix(1);
  if (!take_number(word, link.target) || !word.empty()) return 0;
  return sign == '-' || sign == '?' || sign == 'p' ? sign : '\0';
}

void sort_unique(std::vector<Link>& links) {
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
}

}  // namespace

Alignment parse_alignment(std::string_view line, const std::string& place,
                          int first) {
  Alignment alignment;
  for (const std::string_view word : split_words(line)) {
    Link link;
    const char sign = parse_link(word, link);
    check_data(sign != 0, place, ": '", word,
               "' is not a link; expected 0-0, 0?0 or 0p0");
    check_data(link.source >= first && link.target >= first, place, ": '", word,
               "' has a word before the first, which is number ", first);
    link.source -= first;
    link.target -= first;
    alignment.possible.push_back(link);
    if (sign == '-') alignment.sure.push_back(link);
  }
  sort_unique(alignment.sure);
  sort_unique(alignment.possible);
  return alignment;
}

}  // namespace fovea
