#include "fovea/data/labelled.h"

#include <algorithm>
#include <set>

#include "fovea/io/text_file.h"

namespace fovea {
namespace {

constexpr std::string_view kFastText = "__label__";

std::optional<LabelledLine> read_fasttext(std::string_view line) {
  LabelledLine result{.text = line, .labels = 0};
  while (result.text.starts_with(kFastText)) {
    const size_t end =
        std::min(result.text.find_first_of(" \t"), result.text.size());
    const std::string_view label =
        result.text.substr(kFastText.size(), end - kFastText.size());
    if (label.empty()) return {};
    if (result.labels++ == 0) result.label = label;
    result.text.remove_prefix(end);
    result.text.remove_prefix(
        std::min(result.text.find_first_not_of(" \t"), result.text.size()));
  }
  return result;
}

}  // namespace

std::optional<LabelledLine> read_labelled(std::string_view line) {
  if (line.starts_with(kFastText)) return read_fasttext(line);
  const size_t tab = line.find('\t');
  if (tab == std::string_view::npos || tab == 0) return {};
  return LabelledLine{line.substr(0, tab), line.substr(tab + 1)};
}

std::vector<std::string> labels_in(const std::vector<std::string>& paths) {
  std::set<std::string, std::less<>> labels;
  for (const std::string& path : paths) {
    LineReader reader(path);
    while (const auto line = reader.next()) {
      const auto read = read_labelled(*line);
      if (read && !labels.contains(read->label)) labels.emplace(read->label);
    }
  }
  return {labels.begin(), labels.end()};
}

}  // namespace fovea
