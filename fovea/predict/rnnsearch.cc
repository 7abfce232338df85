#include "fovea/predict/rnnsearch.h"

#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/layers/recurrent_stack.h"
#include "fovea/predict/first_state.h"
#include "fovea/predict/maxout_readout.h"
#include "fovea/predict/recurrent_config.h"
#include "fovea/predict/step_attention.h"
#include "fovea/predict/stepwise.h"

namespace fovea {
namespace {

class Rnnsearch : public Stepwise {
 public:
  Rnnsearch(const DecoderConfig& config, const ComposedConfig& attend,
            const DecoderSizes& sizes, RandomKey key)
      : Stepwise(attend,
                 {.query = config.width + (config.query_word ? sizes.words : 0),
                  .key = sizes.source},
                 key),
        config_(config),
        first_(first_state_config(config, FirstState::From::kBackward),
               encoded_widths(sizes), key.with("first")),
        stack_(stack_config(config, sizes.words + attention().out_width()),
               key.with("stack")),
        readout_(config, sizes.words, attention().out_width(),
                 key.with("readout")) {}

  Step step(State state, const Var& words, const Pass& pass) const override {
    const std::vector<Var> out = advance(state, words, pass);
    return {std::move(state), read_out(words, out, pass)};
  }

  Forced forced(const Encoded& source, const Var& words, const Segments& of,
                const Pass& pass, bool want_weights) const override {
    Unrolled all = unroll(source, words, of, pass, want_weights);
    return {read_out(words, all.out, pass), std::move(all.weights)};
  }

  int width() const override { return readout_.width(); }

  void params(Params& p) override {
    Stepwise::params(p);
    p("first", first_);
    p("stack", stack_);
    p("readout", readout_);
  }

 protected:
  std::vector<Var> first(const Encoded& source) const override {
    return flat(first_(source));
  }

  StepFunction steps() const override {
    return [this, stack = stack_.looped()](const StepInput& in) {
      const std::vector<CellState> before =
          by_layers(in.state, stack.layers(), stack.has_cells());
      const Var& s = before.back().h;
      const Var c =
          in.look(config_.query_word ? concat_columns({in.words, s}) : s);
      const auto next = stack(concat_columns({in.words, c}),
                              single_rows(static_cast<int>(s.dim(0))), before,
                              in.pass.in("stack"));
      return StepOutput{flat(next.last), {s, c}};
    };
  }

 private:
  // `out`: the states before, and the contexts.
  Var read_out(const Var& words, const std::vector<Var>& out,
               const Pass& pass) const {
    return readout_(out[0], words, out[1], pass.in("readout"));
  }

  DecoderConfig config_;
  FirstState first_;
  RecurrentStack stack_;
  MaxoutReadout readout_;
};

}  // namespace

std::unique_ptr<SequencePredictor> make_rnnsearch_decoder(
    const DecoderConfig& config, const ComposedConfig& attend,
    const DecoderSizes& sizes, RandomKey key) {
  check_recurrent(config);
  return std::make_unique<Rnnsearch>(config, attend, sizes, key);
}

}  // namespace fovea
