#include "fovea/predict/bottleneck.h"

#include <numeric>

#include "fovea/autograd/gather.h"
#include "fovea/autograd/reduce.h"
#include "fovea/layers/dropout.h"
#include "fovea/predict/maxout_readout.h"
#include "fovea/predict/recurrent_config.h"
#include "fovea/predict/step_attention.h"

namespace fovea {
namespace {

// The row before each row of a sequence; before the first one that of `first`.
Var rows_before(const Var& x, const Segments& of, const Var& first) {
  std::vector<int> ids;
  for (int b = 0; b < of.count(); ++b) {
    for (int i = of.begin(b); i < of.end(b); ++i) {
      ids.push_back(i > of.begin(b) ? i - 1 : of.total() + b);
    }
  }
  return gather(concat_rows({x, first}), ids);
}

// Rows of a state: the context, if each step wants it, then those of the stack.
class Bottleneck : public SequencePredictor {
 public:
  Bottleneck(const DecoderConfig& config, const DecoderSizes& sizes,
             RandomKey key)
      : config_(config), widths_(encoded_widths(sizes)) {
    const int context = config.every_step ? summary_width(widths_) : 0;
    const auto from = config.every_step ? FirstState::From::kSummary
                                        : FirstState::From::kLayers;
    first_ = FirstState(first_state_config(config, from), widths_,
                        key.with("first"));
    stack_ = RecurrentStack(stack_config(config, sizes.words + context),
                            key.with("stack"));
    if (context > 0) {
      readout_ =
          MaxoutReadout(config, sizes.words, context, key.with("readout"));
    }
  }

  State start(const Encoded& source, const Pass&) const override {
    State state;
    if (config_.every_step) state.rows.push_back(summary_of(source, widths_));
    for (const Var& x : flat(first_(source))) state.rows.push_back(x);
    state.source.resize(source.of.count());
    std::iota(state.source.begin(), state.source.end(), 0);
    state.position.assign(source.of.count(), 0);
    return state;
  }

  Step step(State state, const Var& words, const Pass& pass) const override {
    const Var context = config_.every_step ? state.rows[0] : Var();
    const auto first =
        std::span<const Var>(state.rows).subspan(context ? 1 : 0);
    const Run run =
        read({words, single_rows(state.count()), context},
             by_layers(first, stack_.layers(), stack_.has_cells()), pass);
    state.rows = flat(run.last);
    if (context) state.rows.insert(state.rows.begin(), context);
    for (int& position : state.position) ++position;
    return {std::move(state), run.hidden};
  }

  Forced forced(const Encoded& source, const Var& words, const Segments& of,
                const Pass& pass, bool) const override {
    Var context;
    if (config_.every_step) {
      context = repeat_rows(summary_of(source, widths_), of);
    }
    return {read({words, of, context}, first_(source), pass).hidden, {}};
  }

  int width() const override {
    return config_.every_step ? readout_.width() : config_.width;
  }
  std::string alignment_layer() const override { return {}; }

  void params(Params& p) override {
    p("first", first_);
    p("stack", stack_);
    if (config_.every_step) p("readout", readout_);
  }

 private:
  struct Input {
    Var words;
    Segments of;
    Var context;  // of each row, or empty
  };
  struct Run {
    Var hidden;
    std::vector<CellState> last;
  };
  Run read(const Input& in, const std::vector<CellState>& first,
           const Pass& pass) const {
    const Var& c = in.context;
    const RecurrentStack::Reading reading =
        stack_(c ? concat_columns({in.words, c}) : in.words, in.of, first,
               pass.in("stack"));
    if (!c) {
      return {drop(reading.states, config_.dropout, pass), reading.last};
    }
    const Var before = rows_before(reading.states, in.of, first.back().h);
    return {readout_(before, in.words, c, pass.in("readout")), reading.last};
  }

  DecoderConfig config_;
  EncodedWidths widths_;
  FirstState first_;
  RecurrentStack stack_;
  MaxoutReadout readout_;
};

}  // namespace

std::unique_ptr<SequencePredictor> make_bottleneck_decoder(
    const DecoderConfig& config, const ComposedConfig&,
    const DecoderSizes& sizes, RandomKey key) {
  check_recurrent(config);
  return std::make_unique<Bottleneck>(config, sizes, key);
}

}  // namespace fovea
