#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fovea/io/append_file.h"

namespace fovea::cli {

// Where translations go: standard output, or FILE.part, which becomes FILE at
// the end. What is no plain file is written directly.
class TranslateTarget {
 public:
  struct Config {
    std::string path;             // empty: standard output
    bool resume = false;          // go on behind what FILE.part has
    bool numbered_lists = false;  // lines are "7 ||| ...", several for one line
  };
  explicit TranslateTarget(const Config& config);
  ~TranslateTarget();  // a part with nothing in it goes

  // Lines of the input whose translations are there already.
  int64_t done() const { return done_; }
  // The last of those, so that they can be compared: of how many lines of the
  // input, and what was written for them.
  struct Last {
    int64_t records = 0;
    std::string bytes = {};
  };
  const Last& last() const { return last_; }
  // At once, so that they survive the end of this process. A full disk is a
  // resource error; FILE.part then has those of the lines that fit.
  void write(std::string_view lines);
  void finish();

  // "FILE.part", or nothing if there is none.
  const std::string& part() const { return part_name_; }

 private:
  void keep_permissions() const;
  void go_on(bool numbered_lists);

  std::string name_, part_name_;
  FileHandle direct_;
  std::optional<AppendFile> part_;
  int64_t done_ = 0;
  Last last_;
};

}  // namespace fovea::cli
