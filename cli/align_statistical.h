#pragma once

#include <span>
#include <vector>

#include "cli/align_config.h"

namespace fovea::cli {

// Pairs of sentences: first those to align, then more to learn from.
struct AlignText {
  Sentences source, target;

  void add(const ScoreRequest& pair);
  void add_more(const AlignConfig& config);
};

// Learns from all pairs and links those of the first `count`.
std::vector<WordLinks> statistical_links(const AlignConfig& config,
                                         const AlignText& text, int64_t count);

}  // namespace fovea::cli
