#pragma once

#include <vector>

#include "fovea/attend/composed.h"
#include "fovea/attend/reinforce.h"
#include "fovea/predict/state.h"
#include "fovea/predict/step_order.h"

namespace fovea {

// One row for each of so many sequences.
Segments single_rows(int count);

// An attention over the source that a loop asks once a step. Weights, records
// and hard choices come out as though it had been asked for all steps at once,
// in the order of the batch. Refers to all that it is given.
class StepAttention {
 public:
  // `of` are the rows of the batch.
  StepAttention(const Composed& attention, const Memory& memory,
                const Segments& of, const Pass& pass, bool want_weights);

  const StepOrder& order() const { return order_; }
  // The context of the queries of a step; steps come one after another.
  Var look(const Var& queries, int step);
  // After the last step. Gives the weights, if they were wanted.
  Weights finish();

 private:
  void join_choices() const;
  Weights joined_weights() const;
  void trace(const Weights& weights) const;

  const Composed& attention_;
  const Memory& memory_;
  const Segments& of_;
  const Pass& pass_;
  StepOrder order_;
  bool wants_, traces_;
  Carry carry_;
  std::vector<Choice> choices_;
  std::vector<Weights> weights_;  // of each step, if anybody wants them
  std::vector<Var> queries_;      // the same, for records
};

// The same for one step of a search: each hypothesis looks at its source, whose
// memory and carry are the state's first ones.
Var look_once(const Composed& attention, const Var& queries, State& state,
              const Pass& pass);

}  // namespace fovea
