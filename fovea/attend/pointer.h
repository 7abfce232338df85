#pragma once

#include <span>

#include "fovea/attend/attention.h"
#include "fovea/layers/linear.h"

namespace fovea {

// The words of a source as ids of an extended vocabulary: those from the size
// of the vocabulary on stand for words that it does not have.
struct SourceWords {
  std::span<const int> ids;  // of each key row
  int extended = 0;          // ids are below it; at least the vocabulary's size
};

// SPEC B18: p(w) = g p_vocab(w) + (1 - g) sum of alpha_i over the source
// positions i whose word is w. p_vocab [M,V], gate [M] or [M,1], weights of one
// head with M rows; the result is [M,extended].
Var copy_mixture(const Var& p_vocab, const Var& gate, const Weights& weights,
                 const SourceWords& source);

// The same with g = sigmoid(w.h + b) of the decoder's state h [M,state].
class Pointer {
 public:
  Pointer() = default;
  Pointer(int state, RandomKey key) : gate_(state, 1, true, key) {}

  Var operator()(const Var& p_vocab, const Var& state, const Weights& weights,
                 const SourceWords& source) const;
  Var gate(const Var& state) const;  // [M,1]
  void params(Params& p) { p("gate", gate_); }

 private:
  Linear gate_;
};

}  // namespace fovea
