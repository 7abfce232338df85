#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/translate_output.h"

namespace fovea::cli {

// Lines of the input and what is written for them, in order, as soon as it is
// there.
class OrderedLines {
 public:
  OrderedLines(const OutputStyle& style, std::span<const InputRecord> records,
               int64_t first)
      : style_(style),
        records_(records),
        first_(first),
        found_(records.size()) {}

  void add(size_t i, const std::vector<Translation>& translations) {
    const Translation& best = translations.front();
    found_[i] = {output_lines(style_, records_[i],
                              first_ + static_cast<int64_t>(i), translations),
                 static_cast<int>(best.parts.size()), best.cut_off, true};
  }

  // What one line of the input has become.
  struct Found {
    std::string lines = {};
    int parts = 0;
    bool cut_off = false;
    bool is_there = false;
  };
  // Calls use(record, found) for those that have come behind the last one.
  void take(const auto& use) {
    for (; next_ < found_.size() && found_[next_].is_there; ++next_) {
      use(records_[next_], found_[next_]);
      found_[next_].lines = {};
    }
  }

 private:
  const OutputStyle& style_;
  const std::span<const InputRecord> records_;
  const int64_t first_;
  std::vector<Found> found_;
  size_t next_ = 0;
};

}  // namespace fovea::cli
