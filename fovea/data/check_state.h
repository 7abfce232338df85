#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "fovea/data/check.h"
#include "fovea/data/check_line.h"
#include "fovea/data/line_hashes.h"

namespace fovea {

// What a check knows so far. Held-out text is read first, so that a leak is
// found as the training text is read.
class CheckState {
 public:
  explicit CheckState(const CheckConfig& config);
  CheckState(const CheckState&) = delete;
  CheckState& operator=(const CheckState&) = delete;

  const CheckConfig& config() const { return config_; }
  CheckReport& report() { return report_; }
  DefectList& defects() { return defects_; }
  std::set<std::string, std::less<>>& labels() { return labels_; }

  // A part of the corpus begins, named in messages by this file.
  void begin_part(const std::string& path);
  // Its next line is skipped.
  void skip();
  // Its next line may be learnt from: `text` is the hash of what must not be
  // held out, `all` that of what must not be seen twice.
  void learn(uint64_t text, uint64_t all);

  void hold_out(uint64_t text, const std::string& path, int64_t line);

  // Looks for duplicates and counts what is left.
  void finish();

 private:
  struct Part {
    std::string path;
    int64_t first;  // when the lines of all parts are counted
  };
  struct Where {
    std::string file;
    int64_t line;
  };
  int64_t next_line() const;  // of this part, from 1

  const CheckConfig config_;
  CheckReport report_;
  DefectList defects_;
  std::vector<Part> parts_;
  LineHashes lines_;
  std::unordered_map<uint64_t, Where> held_out_;
  std::set<std::string, std::less<>> labels_;
};

// Pairs of lines, and word links if their path is not empty.
struct PairPaths {
  std::string source, target, links = {};
};
// Returns how many have text on both sides.
int64_t check_pairs(CheckState& state, const PairPaths& paths, bool training);

// Returns how many have a label and text.
int64_t check_labelled(CheckState& state, const std::string& path,
                       bool training);

}  // namespace fovea
