#pragma once

#include <functional>
#include <vector>

#include "fovea/attend/composed.h"
#include "fovea/base/parallel.h"
#include "fovea/predict/predictor.h"
#include "fovea/predict/registry.h"

namespace fovea {

// One step of all sequences that still run.
struct StepInput {
  Var words;                          // [B,E]
  std::span<const Var> state;         // [B,...] each
  FunctionRef<Var(const Var&)> look;  // queries [B,D] to their contexts
  const Pass& pass;
};
struct StepOutput {
  std::vector<Var> state;  // for the next step
  std::vector<Var> out;    // [B,...] each: for what is done after the last step
};
using StepFunction = std::function<StepOutput(const StepInput&)>;

// A decoder whose attention depends on its state and its state on what it has
// attended to, so that steps are run one by one in training too. It says what a
// step is, and does for all steps at once what can wait for the last.
class Stepwise : public SequencePredictor {
 public:
  State start(const Encoded& source, const Pass& pass) const override;
  std::string alignment_layer() const override { return "attend"; }
  void params(Params& p) override { p("attend", attention_); }

 protected:
  Stepwise(const ComposedConfig& attend, const AttentionSizes& sizes,
           RandomKey key)
      : attention_(attend, sizes, key.with("attend")) {}

  const Composed& attention() const { return attention_; }

  // The state before the first step, [B,...] each.
  virtual std::vector<Var> first(const Encoded& source) const = 0;
  // What a step does, with weights made ready for many of them.
  virtual StepFunction steps() const = 0;

  // All steps. What they gave out is in the order of the words.
  struct Unrolled {
    std::vector<Var> out;
    Weights weights;
  };
  Unrolled unroll(const Encoded& source, const Var& words, const Segments& of,
                  const Pass& pass, bool want_weights) const;
  // One step of a search: moves the state on and returns what it gave out.
  std::vector<Var> advance(State& state, const Var& words,
                           const Pass& pass) const;

 private:
  Composed attention_;
};

}  // namespace fovea
