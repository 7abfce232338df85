#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/data/pharaoh.h"
#include "fovea/decode/translator.h"
#include "fovea/eval/alignment_error.h"

namespace fovea::cli {

// How many words the sentences of a pair have.
struct PairLengths {
  int64_t source = 0, target = 0;
};
PairLengths lengths_of(const ScoreRequest& pair);

// The gold links of a text.
class GoldLinks {
 public:
  // A file of Pharaoh's lines, whose words are counted from `first`, or of
  // NAACL's, as the first line that is not blank tells. `sentences` is how many
  // the text has; a data error if the file does not fit.
  static GoldLinks read(const std::string& path, int64_t sentences, int first);
  // The same of a text that is known: a data error if a link has a word that
  // its sentences have not.
  static GoldLinks read(const std::string& path,
                        std::span<const PairLengths> text, int first);
  // Links that somebody found, taken for gold.
  explicit GoldLinks(std::span<const WordLinks> links);

  // How far links are from them: AER, precision and recall, in percent.
  AlignmentError::Result judge(std::span<const WordLinks> links) const;

 private:
  GoldLinks(std::vector<std::string> lines, std::string name)
      : lines_(std::move(lines)), name_(std::move(name)) {}

  std::vector<std::string> lines_;  // Pharaoh's, from 0; possible ones with ?
  std::string name_;
};

}  // namespace fovea::cli
