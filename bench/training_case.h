#pragma once

#include <string>
#include <vector>

#include "bench/peer.h"
#include "fovea/data/batch.h"
#include "fovea/models/config.h"

namespace fovea::bench {

constexpr int kTrainingVocabulary = 8000;

// A model whose training steps are measured.
struct TrainingCase {
  std::string name;
  std::string torch_model;  // its name among those of the PyTorch peer
  ModelConfig config;
  double forward_flops = 0;  // of the real tokens of training_batch()
};
std::vector<TrainingCase> training_cases();

// 256 sentence pairs as long as those of Multi30k in subwords: about 3500
// source and 3900 target tokens.
Batch training_batch();
std::vector<std::vector<int>> sentences(const Ids& ids);

// The same model, tokens and dropout in PyTorch: a step of training, or with
// "forcing" the attention of a Transformer's last layer over the source, the
// target being given.
Peer torch_peer(const std::string& what, const TrainingCase& c,
                const Batch& batch, int threads);

}  // namespace fovea::bench
