#include "fovea/predict/stepwise.h"

#include <numeric>

#include "fovea/autograd/gather.h"
#include "fovea/predict/step_attention.h"

namespace fovea {
namespace {

Var first_rows(const Var& x, int count) {
  return x.dim(0) == count ? x : slice_rows(x, 0, count);
}

}  // namespace

State Stepwise::start(const Encoded& source, const Pass& pass) const {
  State state;
  state.rows = first(source);
  state.carries.resize(1);
  state.source.resize(source.of.count());
  std::iota(state.source.begin(), state.source.end(), 0);
  state.position.assign(source.of.count(), 0);
  state.memories = std::make_shared<const std::vector<Memory>>(
      1, attention_.remember({.keys = source.states, .of = source.of},
                             pass.in("attend")));
  return state;
}

std::vector<Var> Stepwise::advance(State& state, const Var& words,
                                   const Pass& pass) const {
  const Pass in_attend = pass.in("attend");
  StepOutput output =
      steps()({.words = words,
               .state = state.rows,
               .look =
                   [&](const Var& queries) {
                     return look_once(attention_, queries, state, in_attend);
                   },
               .pass = pass});
  state.rows = std::move(output.state);
  for (int& position : state.position) ++position;
  return std::move(output.out);
}

Stepwise::Unrolled Stepwise::unroll(const Encoded& source, const Var& words,
                                    const Segments& of, const Pass& pass,
                                    bool want_weights) const {
  const Pass in_attend = pass.in("attend");
  const Memory memory =
      attention_.remember({.keys = source.states, .of = source.of}, in_attend);
  StepAttention attention(attention_, memory, of, in_attend, want_weights);
  const StepOrder& order = attention.order();
  const Var by_steps = gather(words, order.rows());
  std::vector<Var> state;
  for (const Var& x : first(source)) {
    state.push_back(gather(x, order.sequences()));
  }
  const StepFunction step = steps();
  std::vector<std::vector<Var>> outs;
  for (int t = 0; t < order.steps(); ++t) {
    const int begin = order.begin(t), count = order.active(t);
    for (Var& x : state) x = first_rows(x, count);
    Pass of_step = pass.in("step", t);
    StepOutput output =
        step({.words = slice_rows(by_steps, begin, begin + count),
              .state = state,
              .look = [&](const Var& q) { return attention.look(q, t); },
              .pass = of_step});
    state = std::move(output.state);
    outs.resize(output.out.size());
    for (size_t i = 0; i < outs.size(); ++i) outs[i].push_back(output.out[i]);
  }
  Unrolled unrolled;
  for (const std::vector<Var>& out : outs) {
    unrolled.out.push_back(gather(concat_rows(out), order.places()));
  }
  unrolled.weights = attention.finish();
  return unrolled;
}

}  // namespace fovea
