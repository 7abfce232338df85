#include "fovea/explain/word_order.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/unicode.h"

namespace fovea {
namespace {

struct Range {
  char32_t first, last;
};

bool is_in(char32_t c, const Range& range) {
  return c >= range.first && c <= range.last;
}

// Blocks that Unicode keeps for scripts from right to left.
constexpr Range kRightToLeft[] = {{0x590, 0x8ff},
                                  {0xfb1d, 0xfdff},
                                  {0xfe70, 0xfefc},
                                  {0x10800, 0x10fff},
                                  {0x1e800, 0x1efff}};
// Punctuation, arrows, symbols and signs, which follow what is around them.
constexpr Range kNone[] = {
    {0x0, 0x40},        {0x5b, 0x60},          {0x7b, 0xa9},
    {0xab, 0xb4},       {0xb6, 0xb9},          {0xbb, 0xbf},
    {0xd7, 0xd7},       {0xf7, 0xf7},          {0x2000, 0x2bff},
    {0x3000, 0x303f},   {0xfe00, 0xfe6f},      {0xfeff, 0xfeff},
    {0x1f000, 0x1ffff}, {0x110000, 0xffffffff}};

bool is_any_of(char32_t c, const auto& ranges) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [c](const Range& range) { return is_in(c, range); });
}

}  // namespace

Direction direction_of(std::string_view word) {
  for (const char32_t c : code_points(word)) {
    if (is_any_of(c, kRightToLeft)) return Direction::kRightToLeft;
    if (!is_any_of(c, kNone)) return Direction::kLeftToRight;
  }
  return Direction::kNone;
}

Direction direction_of(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const Direction one = direction_of(word);
    if (one != Direction::kNone) return one;
  }
  return Direction::kLeftToRight;
}

std::vector<size_t> written_order(const std::vector<std::string>& line,
                                  Direction base) {
  std::vector<size_t> order(line.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto is_other = [&](size_t i) {
    const Direction one = direction_of(line[i]);
    return one != Direction::kNone && one != base;
  };
  for (size_t first = 0; first < line.size(); ++first) {
    if (!is_other(first)) continue;
    size_t end = first + 1;  // behind the last of the run
    for (size_t i = end; i < line.size(); ++i) {
      if (is_other(i)) {
        end = i + 1;
      } else if (direction_of(line[i]) == base) {
        break;
      }
    }
    std::reverse(order.begin() + static_cast<std::ptrdiff_t>(first),
                 order.begin() + static_cast<std::ptrdiff_t>(end));
    first = end - 1;
  }
  return order;
}

}  // namespace fovea
