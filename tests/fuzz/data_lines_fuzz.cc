// Any bytes as a line of a corpus: what is read of it lies inside of it.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fovea/base/unicode.h"
#include "fovea/data/check_line.h"
#include "fovea/data/labelled.h"
#include "fovea/data/line_file.h"
#include "fovea/data/pharaoh.h"
#include "fovea/data/word_ranges.h"

namespace {

void need(bool holds) {
  if (!holds) abort();
}

bool inside(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() &&
          part.data() + part.size() <= whole.data() + whole.size());
}

void check(std::string_view line) {
  need(line.find('\n') == std::string_view::npos);
  if (const auto labelled = fovea::read_labelled(line)) {
    need(!labelled->label.empty() && inside(labelled->label, line));
    need(inside(labelled->text, line) && labelled->labels >= 1);
  }
  if (const auto links = fovea::read_pharaoh(line)) {
    for (const auto& [source, target] : *links) {
      need(source >= 0 && target >= 0);
    }
  }
  fovea::CheckReport report;
  fovea::DefectList defects(report, 1);
  fovea::FileFacts file;
  const auto facts = fovea::check_line({&file, 1, line}, defects);
  need(facts.words == static_cast<int64_t>(fovea::word_ranges(line).size()));
  need((report.count(fovea::DefectCode::kInvalidUtf8) == 0) ==
       fovea::is_utf8(line));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const fovea::LineBlock lines(text);
  std::string joined;
  for (int64_t i = 0; i < lines.size(); ++i) {
    check(lines[i]);
    joined += std::string(lines[i]) + "\n";
  }
  if (!text.empty() && text.back() != '\n') joined.pop_back();
  need(joined == text);
  return 0;
}
