#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/base/rng.h"
#include "fovea/data/line_file.h"

namespace fovea {

// Files whose lines belong together, and how often each line is seen in an
// epoch.
struct CorpusPart {
  std::vector<LineFile> files = {};  // of equal numbers of lines
  float weight = 1;
  std::vector<bool> skip = {};  // lines to leave out; empty: none
  int64_t first_line = 0;       // when the lines of all parts are counted

  int64_t lines() const { return files[0].lines(); }
};

// A look at consecutive lines of one part.
struct Visit {
  int part;
  int64_t first;  // line of the part
  bool whole;     // or only those lines whose turn it is in this epoch
};

// Where the lines of a corpus are. Immutable.
class CorpusFiles {
 public:
  explicit CorpusFiles(std::vector<CorpusPart> parts);

  const std::vector<CorpusPart>& parts() const { return parts_; }
  int64_t lines() const;
  // What the examples of all lines take in memory, about; so does a visit.
  int64_t memory() const;
  int64_t memory(const Visit& visit) const;

  // Each line of each part once, in order.
  std::vector<Visit> once() const;

  // What is seen in an epoch, in buffers of at most `memory` each (a single
  // visit may be more), in random order.
  std::vector<std::vector<Visit>> epoch(int64_t epoch, RandomKey key,
                                        int64_t memory) const;

  // How often a line is seen in the partial visits of an epoch: 0 or 1, such
  // that epochs share the lines evenly.
  static bool has_turn(float weight, int64_t line, int64_t epoch);

  static constexpr int64_t kVisitLines = 1024;

 private:
  std::vector<CorpusPart> parts_;
};

}  // namespace fovea
