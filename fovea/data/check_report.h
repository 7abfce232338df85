#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fovea {

enum class DefectCode {
  kLineCount,
  kNothingLeft,
  kEmptySide,
  kTooLong,
  kLengthRatio,
  kBadLabel,
  kBadLink,
  kInvalidUtf8,
  kNul,
  kByteOrderMark,
  kCarriageReturn,
  kMoreLabels,
  kUnknownLabel,
  kDuplicate,
  kLeak,
};
constexpr int kDefectCodes = 15;

// What is said about a code, beside each defect.
struct DefectKind {
  const char* name;      // "empty-side"
  const char* summary;   // "a side is empty", for a table
  const char* outcome;   // "skipped", "kept", ... unless the config says else
  bool breaks_training;  // else it is a warning
};
const DefectKind& kind_of(DefectCode code);

struct Defect {
  DefectCode code;
  std::string file;
  int64_t line;  // from 1
  std::string message;
};

// "file:12: empty-side: the source is empty"
std::string text_of(const Defect& defect);

struct FileFacts {
  std::string path;
  int64_t lines = 0, words = 0, bytes = 0;
  int64_t longest = 0;  // words of the longest line
};

struct CheckReport {
  std::vector<FileFacts> files = {};
  std::vector<Defect> defects = {};  // by code at most as many as asked for
  std::array<int64_t, kDefectCodes> counts = {};  // all of them, by code
  // Of these, in held-out pairs, of which none is skipped.
  std::array<int64_t, kDefectCodes> held_out = {};
  int64_t lines = 0;   // to learn from
  int64_t usable = 0;  // of these, not skipped
  // Lines to skip, for each part of the corpus, as CorpusConfig wants them.
  std::vector<std::vector<bool>> skip = {};
  bool skips_duplicates = false, skips_leaks = false;

  int64_t count(DefectCode code) const {
    return counts[static_cast<size_t>(code)];
  }
  bool breaks_training() const;
};

// What becomes of lines with a code in this corpus.
std::string outcome_of(const CheckReport& report, DefectCode code);

// A line for each code that was found, the worst first: its name, how many, and
// what becomes of them.
std::string defect_table(const CheckReport& report);

// Throws a data error with the first defect that breaks training, if any.
void require_usable(const CheckReport& report);

}  // namespace fovea
