#pragma once

#include "fovea/attend/encoded.h"
#include "fovea/predict/state.h"

namespace fovea {

struct Step {
  State state;
  Var hidden;  // [B,width()]
};

// All steps at once.
struct Forced {
  Var hidden;            // [M,width()]
  Weights weights = {};  // over the source, if asked for and if there are any
};

// Predicts the next word from the words before it and a source: a decoder.
// Words come embedded and leave as hidden rows; the model that it belongs to
// turns ids into the one and the other into scores. Running changes nothing, so
// threads may share one.
class SequencePredictor {
 public:
  virtual ~SequencePredictor() = default;

  // One hypothesis for each source sequence, no word read.
  virtual State start(const Encoded& source, const Pass& pass) const = 0;
  // `words` [B,E]: the embedding of the last word of each hypothesis, or at the
  // beginning that of the begin mark. Inference only. Takes the state over.
  virtual Step step(State state, const Var& words, const Pass& pass) const = 0;
  // `words` [M,E]: the begin mark, then all words of each sequence but the
  // last. Sequence b belongs to source sequence b.
  virtual Forced forced(const Encoded& source, const Var& words,
                        const Segments& of, const Pass& pass,
                        bool want_weights) const = 0;

  virtual int width() const = 0;  // of hidden rows
  // Which layer's weights are taken for the alignment: "layer.2.cross".
  virtual std::string alignment_layer() const = 0;
  virtual void params(Params& p) = 0;
};

}  // namespace fovea
