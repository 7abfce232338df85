#include "fovea/data/line_sample.h"

#include <algorithm>
#include <unordered_map>

#include "fovea/base/rng.h"
#include "fovea/base/unicode.h"

namespace fovea {
namespace {

// Bounds the memory of a sample, whatever a line is.
constexpr size_t kLongest = 1000;

// A length at which the text can be cut: before a space, or at least between
// two characters.
size_t cut_of(std::string_view text) {
  if (text.size() <= kLongest) return text.size();
  const size_t space = text.rfind(' ', kLongest);
  if (space != std::string_view::npos && space > 0) return space;
  size_t end = kLongest;
  while (end > 1 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
    --end;
  }
  return end;
}

// Vitter 1985, algorithm R: line i takes the place of a random one before it.
class Reservoir {
 public:
  Reservoir(int64_t most, RandomKey key) : most_(most), key_(key) {}

  void add(std::string_view text) {
    const int64_t index = seen_++;
    if (index < most_) {
      kept_.emplace_back(text);
      return;
    }
    const uint64_t bits = key_.with(static_cast<uint64_t>(index)).bits();
    const auto place = static_cast<int64_t>(bits % (index + uint64_t{1}));
    if (place < most_) kept_[place] = text;
  }

  std::vector<std::string> take() && { return std::move(kept_); }

 private:
  int64_t most_, seen_ = 0;
  RandomKey key_;
  std::vector<std::string> kept_;
};

}  // namespace

std::vector<std::string> sample_lines(const EachLine& lines, int64_t most,
                                      int64_t seed) {
  Reservoir sample(most, RandomKey(static_cast<uint64_t>(seed)).with("sample"));
  lines([&](std::string_view line) {
    std::string mended;
    if (!is_utf8(line)) line = mended = mend_utf8(line);
    while (!line.empty()) {
      const size_t end = cut_of(line);
      sample.add(line.substr(0, end));
      line.remove_prefix(end);
    }
  });
  return std::move(sample).take();
}

std::vector<CharacterCount> count_characters(
    const std::vector<std::string>& lines) {
  std::unordered_map<std::string_view, int64_t> counts;
  for (const std::string& line : lines) {
    for (std::string_view rest = line; !rest.empty();) {
      const size_t bytes = code_point_bytes(rest);
      ++counts[rest.substr(0, bytes)];
      rest.remove_prefix(bytes);
    }
  }
  std::vector<CharacterCount> all;
  for (const auto& [character, count] : counts) {
    all.push_back({std::string(character), count});
  }
  // The order of bytes is that of the codes.
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.count != b.count ? a.count > b.count : a.character < b.character;
  });
  return all;
}

size_t covering(const std::vector<CharacterCount>& counts, float coverage) {
  int64_t total = 0, covered = 0;
  for (const CharacterCount& c : counts) total += c.count;
  size_t kept = 0;
  const double wanted = static_cast<double>(coverage) * total;
  while (kept < counts.size() && static_cast<double>(covered) < wanted) {
    covered += counts[kept++].count;
  }
  return kept;
}

}  // namespace fovea
