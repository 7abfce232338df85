#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fovea/data/check_report.h"

namespace fovea {

// Writes defects into a report, at most so many of each code.
class DefectList {
 public:
  DefectList(CheckReport& report, int64_t most)
      : report_(&report), most_(most) {}

  void add(DefectCode code, const std::string& file, int64_t line,
           const std::string& message);

 private:
  CheckReport* report_;
  int64_t most_;
};

// A file that is being read, line after line.
struct CheckedLine {
  FileFacts* file;
  int64_t number;  // from 1
  std::string_view text;
};

// What the other checks want to know of a line.
struct LineFacts {
  int64_t words = 0;
  int64_t length = 0;  // in words, of which none counts less than 8 bytes
  int64_t bytes = 0;   // without blanks at the ends
  uint64_t hash = 0;   // of these
};

// Names bytes that are no UTF-8 and other odd ones, and counts the line.
LineFacts check_line(const CheckedLine& line, DefectList& defects);

}  // namespace fovea
