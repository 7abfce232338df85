#include "cli/pair_reader.h"

#include "cli/utf8_line.h"
#include "fovea/base/check.h"
#include "fovea/base/words.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kBars = "|||";

std::string_view trimmed(std::string_view text) {
  while (const size_t space = white_space_at(text)) text.remove_prefix(space);
  return without_end_space(text);
}

std::string as_utf8(std::string_view line, const LineReader& reader) {
  return utf8_line(line, reader.place());
}

}  // namespace

PairReader::PairReader(const PairFiles& files)
    : first_(files.src.empty() ? files.both : files.src) {
  check_usage(files.src.empty() == files.tgt.empty(),
              "--src and --tgt go together");
  if (!files.tgt.empty()) second_.emplace(files.tgt);
}

std::optional<ScoreRequest> PairReader::next() {
  const auto line = first_.next();
  if (second_) {
    const auto other = second_->next();
    check_data(line.has_value() == other.has_value(),
               (line ? first_ : *second_).place(),
               ": the other file has no such line");
    if (!line) return {};
    return ScoreRequest{as_utf8(*line, first_), as_utf8(*other, *second_)};
  }
  if (!line) return {};
  if (const size_t tab = line->find('\t'); tab != std::string_view::npos) {
    return ScoreRequest{as_utf8(line->substr(0, tab), first_),
                        as_utf8(line->substr(tab + 1), first_)};
  }
  if (is_blank(*line)) return ScoreRequest{};
  const size_t bars = line->find(kBars);
  check_data(bars != std::string_view::npos, first_.place(),
             ": a line is source, tab or |||, translation");
  return ScoreRequest{
      as_utf8(trimmed(line->substr(0, bars)), first_),
      as_utf8(trimmed(line->substr(bars + kBars.size())), first_)};
}

}  // namespace fovea::cli
