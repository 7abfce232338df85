#pragma once

#include <string>

#include "fovea/data/tokenizer.h"
#include "fovea/explain/heatmap.h"
#include "fovea/models/seq2seq.h"

namespace fovea::cli {

// Where the model looks in the source while it is forced to write the target,
// token by token; heads averaged.
Heatmap alignment_map(const Seq2Seq& model, const Tokenizer& source_words,
                      const Tokenizer& target_words, const std::string& source,
                      const std::string& target);

}  // namespace fovea::cli
