#include "fovea/explain/label.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"

namespace fovea {

std::string label_text(std::string_view token) {
  const size_t first = std::min(token.find_first_not_of(' '), token.size());
  const size_t end = token.find_last_not_of(' ') + 1;
  std::string text;
  for (size_t i = 0; i < first; ++i) text += "␣";
  if (first == token.size()) return text;
  text += one_line(token.substr(first, end - first));
  for (size_t i = end; i < token.size(); ++i) text += "␣";
  return text;
}

std::string shortened(std::string_view text, int columns) {
  if (display_width(text) <= columns) return std::string(text);
  return cut_to_columns(text, columns - 1) + "…";
}

std::string padded(std::string_view text, int columns, Align align) {
  const int rest = std::max(0, columns - display_width(text));
  const int left = align == Align::kLeft    ? 0
                   : align == Align::kRight ? rest
                                            : rest / 2;
  std::string all(static_cast<size_t>(left), ' ');
  all += text;
  return all.append(static_cast<size_t>(rest - left), ' ');
}

char shade_of(float value) {
  if (value < 0.005f) return kShades.front();
  const auto last = static_cast<float>(kShades.size() - 1);
  const float place = std::clamp(std::ceil(value * last), 1.0f, last);
  return kShades[static_cast<size_t>(place)];
}

std::vector<std::string> wrap_words(
    std::string_view text, double width,
    const std::function<double(std::string_view)>& measure) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!lines.empty() && measure(join(lines.back(), " ", word)) <= width) {
      lines.back() += join(" ", word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

std::string wrapped_lines(std::string_view text, int columns) {
  std::string all;
  for (const std::string& line :
       wrap_words(one_line(text), columns, display_width)) {
    all += line + "\n";
  }
  return all;
}

}  // namespace fovea
