#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/rng.h"
#include "fovea/models/seq2seq.h"
#include "fovea/train/optimizer.h"

// A small sequence-to-sequence model that learns to spell words backwards:
// Luong et al. 2015 with a bidirectional encoder of GRU cells.
namespace fovea::cli {

constexpr int kBegin = 0, kEnd = 1, kFirstLetter = 2;
constexpr int kLetters = 26, kSymbols = kFirstLetter + kLetters;

// Small letters only.
std::vector<int> letters_to_ids(const std::string& word);
std::string ids_to_letters(std::span<const int> ids);

// Random words of `shortest` to `longest` letters.
std::vector<std::vector<int>> random_words(RandomKey key, int count,
                                           int shortest, int longest);

class ReverseModel {
 public:
  // `width` of one direction of the encoder.
  ReverseModel(int width, RandomKey key);

  Params params() const { return Params(*model_); }

  // Of the reversed words, mean over letters.
  BatchLoss loss(std::span<const std::vector<int>> words) const;

  // Greedy search, all words at once.
  std::vector<std::vector<int>> reverse(
      std::span<const std::vector<int>> words) const;

  // Where it looks in `word` while it writes `written` and then the end:
  // [written + 1, word].
  Tensor weights(std::span<const int> word, std::span<const int> written) const;

 private:
  std::unique_ptr<Seq2Seq> model_;
};

// Adam with clipping to a global norm.
class ReverseTrainer {
 public:
  explicit ReverseTrainer(const ReverseModel& model);
  // One step on these words, `rate` being the learning rate; returns the loss.
  float step(std::span<const std::vector<int>> words, float rate);

 private:
  const ReverseModel& model_;
  Optimizer optimizer_;
  int64_t steps_ = 0;
};

}  // namespace fovea::cli
