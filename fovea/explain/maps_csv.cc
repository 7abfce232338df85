#include <charconv>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/explain/view.h"

namespace fovea {
namespace {

// RFC 4180: quotes where a comma, a quote or a line end asks for them. A text
// that a spreadsheet would take for a formula stays a text.
std::string field(std::string_view text) {
  std::string clean = one_line(text);
  const bool formula =
      !clean.empty() &&
      std::string_view("=+-@").find(clean[0]) != std::string_view::npos;
  if (formula) clean = join("'", clean);
  if (clean.find_first_of(",\"") == std::string::npos) return clean;
  std::string quoted = "\"";
  for (char c : clean) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string number(float value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end.ptr};
}

}  // namespace

std::string maps_csv(const MapGroups& groups) {
  std::string csv = "map,row,column,row_token,column_token,value\n";
  for (const std::vector<Heatmap>& group : groups) {
    for (const Heatmap& map : group) {
      for (size_t r = 0; r < map.rows.size(); ++r) {
        for (size_t c = 0; c < map.columns.size(); ++c) {
          if (!map.is_shown(r, c)) continue;
          csv +=
              join(field(map.title), ",", r, ",", c, ",", field(map.rows[r]),
                   ",", field(map.columns[c]), ",", number(map.at(r, c)), "\n");
        }
      }
    }
  }
  return csv;
}

}  // namespace fovea
