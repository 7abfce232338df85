#pragma once

#include <string>

#include "fovea/models/folder.h"

namespace fovea::testing {

// The words of a vocabulary of kTinyVocabulary tokens.
Tokenizer tiny_tokenizer();

// Writes the folder of a model of random weights.
void write_tiny_folder(const std::string& path, const ModelConfig& config,
                       uint64_t seed = 1);

// Scores of all words of a batch of tiny_models.h, word by word forced.
Tensor forced_scores(const Seq2Seq& model, uint64_t batch_seed = 1);

}  // namespace fovea::testing
