#pragma once

#include <string>
#include <vector>

#include "fovea/data/tokenizer.h"

namespace fovea::bench {

// Which target words a sentence may need: the frequent ones and, for each of
// its words, the likely translations.
struct Lexicon {
  std::vector<int> always;              // sorted
  std::vector<std::vector<int>> words;  // by source word

  // Sorted, each once.
  std::vector<int> shortlist(const std::vector<int>& source) const;
};

struct LexiconConfig {
  int frequent = 100, translations = 50;
};

// Learned from two files of lines.
Lexicon learn_lexicon(const std::string& source_file,
                      const std::string& target_file, const Tokenizer& source,
                      const Tokenizer& target,
                      const LexiconConfig& config = {});

}  // namespace fovea::bench
