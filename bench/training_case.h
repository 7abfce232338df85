#pragma once

#include "fovea/data/batch.h"

namespace fovea::bench {

constexpr int kTrainingVocabulary = 8000;

// 256 sentence pairs as long as those of Multi30k in subwords: about 3500
// source and 3900 target tokens.
Batch training_batch();

}  // namespace fovea::bench
