#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/autograd/var.h"
#include "fovea/base/rng.h"
#include "fovea/tensor/segments.h"

// A small sequence-to-sequence model with attention that learns to spell words
// backwards, built directly on the ops: Luong et al. 2015 with a bidirectional
// encoder.
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
  ReverseModel(int width, RandomKey key);

  std::vector<Var> params() const;

  // Mean cross-entropy of the reversed words.
  Var loss(std::span<const std::vector<int>> words) const;

  // Greedy search, all words at once, step by step.
  std::vector<std::vector<int>> reverse(
      std::span<const std::vector<int>> words) const;

  // Where it looks in `word` while it writes `written` and then the end:
  // [written + 1, word].
  Tensor weights(std::span<const int> word, std::span<const int> written) const;

 private:
  struct Cell {
    Var input, recurrent, bias;
  };
  struct Encoded {
    Var states;  // [N,2D]
    Var last;    // [B,2D]
    Segments of;
  };
  struct Decoded {
    Var states, context;  // [M,2D]
    Tensor weights;       // if asked for, [M,S] of each word
  };
  static Cell make_cell(int in, int width, RandomKey key);
  Encoded encode(std::span<const std::vector<int>> words) const;
  Decoded decode(const Encoded& source, const Ids& inputs,
                 bool with_weights) const;
  Var readout(const Var& context, const Var& state) const;

  Var table_;
  Cell forward_, backward_, decoder_;
  Var combine_, out_, out_bias_;
};

// Adam with clipping to a global norm.
class ReverseTrainer {
 public:
  explicit ReverseTrainer(const ReverseModel& model);
  // One step on these words, `rate` being the learning rate; returns the loss.
  float step(std::span<const std::vector<int>> words, float rate);

 private:
  const ReverseModel& model_;
  std::vector<Var> params_;
  std::vector<Tensor> mean_, variance_;
  int64_t steps_ = 0;
};

}  // namespace fovea::cli
