#include "fovea/data/check_line.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/data/hash.h"
#include "fovea/data/word_ranges.h"

namespace fovea {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// The first byte that is no UTF-8, counted from 1.
size_t first_bad_byte(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    const size_t bytes = code_point_bytes(rest);
    if (!is_utf8(rest.substr(0, bytes))) break;
    at += bytes;
  }
  return at + 1;
}

}  // namespace

void DefectList::add(DefectCode code, const std::string& file, int64_t line,
                     const std::string& message) {
  int64_t& count = report_->counts[static_cast<size_t>(code)];
  if (count++ < most_ || kind_of(code).breaks_training) {
    report_->defects.push_back({code, file, line, message});
  }
}

LineFacts check_line(const CheckedLine& line, DefectList& defects) {
  const auto [file, number, text] = line;
  if (!is_utf8(text)) {
    defects.add(DefectCode::kInvalidUtf8, file->path, number,
                join("byte ", first_bad_byte(text), " is no UTF-8"));
  }
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    defects.add(DefectCode::kNul, file->path, number,
                join("byte ", nul + 1, " is NUL"));
  }
  if (number == 1 && text.starts_with(kByteOrderMark)) {
    defects.add(DefectCode::kByteOrderMark, file->path, number,
                "the file begins with a byte order mark");
  }
  if (text.ends_with('\r')) {
    defects.add(DefectCode::kCarriageReturn, file->path, number,
                "the line ends with a carriage return");
  }
  const auto words = word_ranges(text);
  LineFacts facts{.words = static_cast<int64_t>(words.size())};
  if (!words.empty()) {
    const int begin = words.front().first, end = words.back().second;
    facts.bytes = end - begin;
    facts.hash = text_hash(text.substr(begin, facts.bytes));
  }
  facts.length = std::max(facts.words, facts.bytes / 8);
  ++file->lines;
  file->words += facts.words;
  file->bytes += static_cast<int64_t>(text.size()) + 1;
  file->longest = std::max(file->longest, facts.words);
  return facts;
}

}  // namespace fovea
