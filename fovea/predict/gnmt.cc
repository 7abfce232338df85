#include "fovea/predict/gnmt.h"

#include "fovea/autograd/gather.h"
#include "fovea/layers/dropout.h"
#include "fovea/predict/recurrent_config.h"
#include "fovea/predict/step_attention.h"
#include "fovea/predict/stepwise.h"

namespace fovea {
namespace {

StackConfig bottom_config(const DecoderConfig& config, int in) {
  StackConfig bottom = stack_config(config, in);
  bottom.layers = 1;
  return bottom;
}

StackConfig upper_config(const DecoderConfig& config, int context) {
  StackConfig upper = stack_config(config, config.width);
  upper.layers = config.layers - 1;
  upper.context = context;
  upper.below = 1;
  return upper;
}

class Gnmt : public Stepwise {
 public:
  Gnmt(const DecoderConfig& config, const ComposedConfig& attend,
       const DecoderSizes& sizes, RandomKey key)
      : Stepwise(attend, {.query = config.width, .key = sizes.source}, key),
        config_(config),
        context_(attention().out_width()),
        first_(first_state_config(config, FirstState::From::kLayers),
               encoded_widths(sizes), key.with("first")),
        bottom_(bottom_config(config, sizes.words + context_),
                key.with("bottom")),
        upper_(upper_config(config, context_), key.with("upper")) {}

  State start(const Encoded& source, const Pass& pass) const override {
    State state = Stepwise::start(source, pass);
    for (const Var& x : flat(first_upper(source))) state.rows.push_back(x);
    return state;
  }

  Step step(State state, const Var& words, const Pass& pass) const override {
    const size_t bottom = bottom_.has_cells() ? 3 : 2;  // rows of its state
    const std::vector<Var> rows(state.rows.begin() + bottom, state.rows.end());
    state.rows.resize(bottom);
    const std::vector<Var> out = advance(state, words, pass);
    const RecurrentStack::Reading top =
        read_upper(out, single_rows(state.count()),
                   by_layers(rows, upper_.layers(), upper_.has_cells()), pass);
    for (const Var& x : flat(top.last)) state.rows.push_back(x);
    return {std::move(state), top.states};
  }

  Forced forced(const Encoded& source, const Var& words, const Segments& of,
                const Pass& pass, bool want_weights) const override {
    Unrolled all = unroll(source, words, of, pass, want_weights);
    const Var top = read_upper(all.out, of, first_upper(source), pass).states;
    return {drop(top, config_.dropout, pass), std::move(all.weights)};
  }

  int width() const override { return config_.width; }

  void params(Params& p) override {
    Stepwise::params(p);
    p("first", first_);
    p("bottom", bottom_);
    p("upper", upper_);
  }

 protected:
  // Of the bottom layer, and no context.
  std::vector<Var> first(const Encoded& source) const override {
    const std::vector<CellState> all = first_(source);
    std::vector<Var> rows = flat(std::span(all).first(1));
    rows.emplace_back(Tensor::zeros({source.of.count(), context_}));
    return rows;
  }

  StepFunction steps() const override {
    return [this, bottom = bottom_.looped()](const StepInput& in) {
      const Var& old_context = in.state.back();
      const RecurrentStack::Reading next = bottom(
          concat_columns({in.words, old_context}),
          single_rows(static_cast<int>(in.words.dim(0))),
          by_layers(in.state, 1, bottom.has_cells()), in.pass.in("bottom"));
      const Var context = in.look(next.states);
      StepOutput output{
          flat(next.last),
          {next.states, config_.new_context ? context : old_context}};
      output.state.push_back(context);
      return output;
    };
  }

 private:
  std::vector<CellState> first_upper(const Encoded& source) const {
    std::vector<CellState> all = first_(source);
    all.erase(all.begin());
    return all;
  }

  // `out`: the bottom layer's states and the contexts for the others.
  RecurrentStack::Reading read_upper(const std::vector<Var>& out,
                                     const Segments& of,
                                     std::span<const CellState> before,
                                     const Pass& pass) const {
    return upper_(out[0], of, before, pass.in("upper"), out[1]);
  }

  DecoderConfig config_;
  int context_;  // its width
  FirstState first_;
  RecurrentStack bottom_, upper_;
};

}  // namespace

std::unique_ptr<SequencePredictor> make_gnmt_decoder(
    const DecoderConfig& config, const ComposedConfig& attend,
    const DecoderSizes& sizes, RandomKey key) {
  check_recurrent(config);
  return std::make_unique<Gnmt>(config, attend, sizes, key);
}

}  // namespace fovea
