#pragma once

#include <string>
#include <vector>

#include "cli/alignment_format.h"
#include "cli/translate_config.h"
#include "cli/translate_input.h"

namespace fovea::cli {

// How translations are written.
struct OutputStyle {
  LineFormat format;
  AlignmentFormat alignment;
  bool word_scores, with_score;
  bool n_best;  // a list for each line, even if it has one entry only

  static OutputStyle of(const TranslateConfig& config);
};

// What comes out for one line of the input, whose number from 0 is `number`:
// one line, or several of an n-best list as text.
std::string output_lines(const OutputStyle& style, const InputRecord& record,
                         int64_t number,
                         const std::vector<Translation>& translations);

}  // namespace fovea::cli
