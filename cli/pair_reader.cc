#include "cli/pair_reader.h"

#include "cli/utf8_line.h"
#include "fovea/base/check.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kBars = "|||";

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
  const bool tab = line->find('\t') != std::string_view::npos;
  const size_t at = tab ? line->find('\t') : line->find(kBars);
  check_data(at != std::string_view::npos, first_.place(),
             ": a line is source, tab or |||, translation");
  return ScoreRequest{
      as_utf8(line->substr(0, at), first_),
      as_utf8(line->substr(at + (tab ? 1 : kBars.size())), first_)};
}

}  // namespace fovea::cli
