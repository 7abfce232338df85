#include "fovea/data/check_report.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "fovea/base/check.h"

namespace fovea {
namespace {

// In the order of the codes.
constexpr DefectKind kKinds[] = {
    {"line-count", "files of different numbers of lines", "breaks training",
     true},
    {"nothing-left", "no line to learn from, or to judge by", "breaks training",
     true},
    {"empty-side", "lines without text", "skipped", false},
    {"too-long", "lines that are too long", "skipped", false},
    {"length-ratio", "pairs of very different lengths", "skipped", false},
    {"bad-label", "lines without a label", "skipped", false},
    {"bad-link", "word links that cannot be", "left out", false},
    {"invalid-utf8", "lines with bytes that are no UTF-8", "replaced by U+FFFD",
     false},
    {"nul", "lines with NUL characters", "kept", false},
    {"byte-order-mark", "files that begin with a byte order mark", "kept",
     false},
    {"carriage-return", "lines that end with a carriage return", "kept", false},
    {"more-labels", "lines with several labels", "first one kept", false},
    {"unknown-label", "labels that the training text lacks", "kept", false},
    {"duplicate", "lines seen before", "kept", false},
    {"leak", "training lines that are in held-out text", "kept", false},
};
static_assert(std::size(kKinds) == kDefectCodes);

}  // namespace

const DefectKind& kind_of(DefectCode code) {
  return kKinds[static_cast<size_t>(code)];
}

std::string outcome_of(const CheckReport& report, DefectCode code) {
  constexpr const char* kSkipped = "skipped";
  const bool asked =
      (code == DefectCode::kDuplicate && report.skips_duplicates) ||
      (code == DefectCode::kLeak && report.skips_leaks);
  const std::string outcome = asked ? kSkipped : kind_of(code).outcome;
  const int64_t held_out = report.held_out[static_cast<size_t>(code)];
  if (outcome != kSkipped || held_out == 0) return outcome;
  if (held_out == report.count(code)) return "kept, since they are held out";
  return join(outcome, ", but ", held_out, " held-out ones kept");
}

std::string text_of(const Defect& defect) {
  return join(defect.file, ":", defect.line, ": ", kind_of(defect.code).name,
              ": ", defect.message);
}

bool CheckReport::breaks_training() const {
  for (int c = 0; c < kDefectCodes; ++c) {
    if (counts[c] > 0 && kKinds[c].breaks_training) return true;
  }
  return false;
}

std::string defect_table(const CheckReport& report) {
  std::ostringstream out;
  for (int c = 0; c < kDefectCodes; ++c) {
    if (report.counts[c] == 0) continue;
    out << std::left << std::setw(17) << kKinds[c].name << std::right
        << std::setw(9) << report.counts[c] << "  " << kKinds[c].summary << ": "
        << outcome_of(report, static_cast<DefectCode>(c)) << "\n";
  }
  return std::move(out).str();
}

void require_usable(const CheckReport& report) {
  for (const Defect& defect : report.defects) {
    check_data(!kind_of(defect.code).breaks_training, text_of(defect));
  }
}

}  // namespace fovea
