#include "fovea/data/naacl.h"

#include <charconv>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/words.h"

namespace fovea {
namespace {

// A whole number from 1, as one from 0; -1 if it is none.
template <class T>
T number(std::string_view word) {
  T value = 0;
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, value);
  return error == std::errc() && end == last && value >= 1 ? value - 1 : -1;
}

bool is_real(std::string_view word) {
  double value = 0;
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, value);
  return error == std::errc() && end == last;
}

}  // namespace

std::optional<NaaclLink> read_naacl(std::string_view line) {
  std::vector<std::string_view> words = split_words(line);
  if (words.size() < 3) return {};
  NaaclLink link{number<int64_t>(words[0]), number<int>(words[1]),
                 number<int>(words[2])};
  if (link.sentence < 0 || link.source < 0 || link.target < 0) return {};
  size_t next = 3;
  if (next < words.size() && (words[next] == "S" || words[next] == "P")) {
    link.sure = words[next++] == "S";
  }
  if (next < words.size() && is_real(words[next])) ++next;
  if (next < words.size()) return {};
  return link;
}

std::string write_naacl(int64_t sentence, const WordLinks& links) {
  std::string lines;
  for (const auto& [source, target] : links) {
    lines += join(sentence + 1, " ", source + 1, " ", target + 1, " S\n");
  }
  return lines;
}

}  // namespace fovea
