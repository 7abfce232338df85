#pragma once

#include <string>

<<<<<<< HEAD
#include "fovea/models/folder.h"

namespace fovea::testing {

// The words of a vocabulary of kTinyVocabulary tokens.
Tokenizer tiny_tokenizer();

// Writes the folder of a model of random weights.
void write_tiny_folder(const std::string& path, const ModelConfig& config,
                       uint64_t seed = 1);

// Scores of all words of a batch of tiny_models.h, word by word forced.
Tensor forced_scores(const Seq2Seq& model, uint64_t batch_seed = 1);
=======
#include "fovea/data/tokenizer.h"

namespace fovea::testing {

// A small model with random weights, which says something else for every
// source, and ends now and then.
struct ModelFolderConfig {
  TextUnit unit = TextUnit::kUnigram;
  std::string kind = "transformer";  // of tiny_models()
  uint64_t seed = 5;                 // of the weights
  bool byte_fallback = true;
};

// Writes the folder of one, and gives its path back.
std::string write_model_folder(const std::string& path,
                               const ModelFolderConfig& config = {});
>>>>>>> 3fb38bc (decode: a translator of text; cli: translate and score anew)

}  // namespace fovea::testing
