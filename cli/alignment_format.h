#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/decode/word_alignment.h"

namespace fovea::cli {

// How --alignment is written.
struct AlignmentFormat {
  enum class Kind { kNone, kSoft, kHard, kThreshold };
  Kind kind = Kind::kNone;
  float threshold = 0;

  // "", "soft", "hard" or a number above 0, up to 1; others are usage errors.
  static AlignmentFormat parse(const std::string& text);
  bool wanted() const { return kind != Kind::kNone; }
};

// The flag --alignment-head.
void declare_heads(CLI::App& app, std::vector<int>& heads);

// Pharaoh's "0-0 1-2", source first; soft: for each target word the weights of
// all source words with commas, "0.9,0.1 0.2,0.8".
std::string alignment_text(const AlignmentFormat& format,
                           const WordAlignment& alignment);

// The words of both texts with their characters (code points) [begin, end), and
// links or, if soft, a row of weights for each target word.
nlohmann::ordered_json alignment_json(const AlignmentFormat& format,
                                      const WordAlignment& alignment,
                                      std::string_view source,
                                      std::string_view target);

// "-0.5 -1.25": of each word, then of the end.
std::string scores_text(const WordScores& scores);

}  // namespace fovea::cli
