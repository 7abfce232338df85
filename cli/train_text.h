#pragma once

#include <string>

#include "cli/train_config.h"
#include "fovea/data/check.h"
#include "fovea/data/corpus.h"
#include "fovea/data/tokenizer.h"

namespace fovea::cli {

// Says what is wrong with the text, and throws if that is too much.
CheckReport checked_text(const CheckConfig& config);

// What no example may be longer than: "--max-length 256 tokens".
std::string longest_text(const CorpusConfig& config);

// Says how much there is to learn from, and what is left out of it besides.
// `unit` is what an example is called: "pairs".
void announce_text(const Corpus& corpus, const CorpusConfig& config,
                   const char* unit);

// Where a vocabulary is, or comes from.
struct VocabularySource {
  std::string file;   // in the model's folder
  std::string given;  // one there is; empty: it is learned from the text
  EachLine text;
};

// The one in the folder, or one there is, or a new one.
Tokenizer make_vocabulary(const TrainConfig& config,
                          const VocabularySource& source);

}  // namespace fovea::cli
