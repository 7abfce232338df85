#pragma once

#include <optional>
#include <string>

#include "fovea/decode/translator.h"
#include "fovea/io/text_file.h"

namespace fovea::cli {

// Where pairs of texts come from: two files, line by line, or if those have no
// names one, with a tab or else ||| between the texts of a line; blanks around
// the bars belong to them. A blank line is a pair of empty texts.
struct PairFiles {
  std::string src, tgt;
  std::string both = "-";
};

// Reads one pair after another, as UTF-8 (see utf8_line.h).
class PairReader {
 public:
  // A usage error if only one of two files has a name.
  explicit PairReader(const PairFiles& files);

  // Nothing at the end. A data error names the line that has no partner.
  std::optional<ScoreRequest> next();
  // Whether next() need not wait.
  bool ready() { return first_.ready(); }

 private:
  LineReader first_;
  std::optional<LineReader> second_;
};

}  // namespace fovea::cli
