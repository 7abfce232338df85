#include "fovea/predict/luong.h"

#include "fovea/attend/input_feeding.h"
#include "fovea/autograd/gather.h"
#include "fovea/layers/dropout.h"
#include "fovea/predict/recurrent_config.h"
#include "fovea/predict/step_attention.h"
#include "fovea/predict/stepwise.h"

namespace fovea {
namespace {

class Luong : public Stepwise {
 public:
  Luong(const DecoderConfig& config, const ComposedConfig& attend,
        const DecoderSizes& sizes, RandomKey key)
      : Stepwise(attend, {.query = config.width, .key = sizes.source}, key),
        config_(config),
        first_(first_state_config(config, FirstState::From::kLayers),
               encoded_widths(sizes), key.with("first")),
        stack_(stack_config(config,
                            sizes.words + (config.feed ? config.width : 0)),
               key.with("stack")),
        feeding_(attention().out_width(), config.width, config.width,
                 key.with("feeding"), config.init) {}

  Step step(State state, const Var& words, const Pass& pass) const override {
    const std::vector<Var> out = advance(state, words, pass);
    return {std::move(state), out[0]};
  }

  Forced forced(const Encoded& source, const Var& words, const Segments& of,
                const Pass& pass, bool want_weights) const override {
    if (!config_.feed) return at_once(source, words, of, pass, want_weights);
    Unrolled all = unroll(source, words, of, pass, want_weights);
    return {drop(all.out[0], config_.dropout, pass), std::move(all.weights)};
  }

  int width() const override { return config_.width; }

  void params(Params& p) override {
    Stepwise::params(p);
    p("first", first_);
    p("stack", stack_);
    p("feeding", feeding_);
  }

 protected:
  std::vector<Var> first(const Encoded& source) const override {
    std::vector<Var> rows = flat(first_(source));
    if (config_.feed) {
      rows.emplace_back(Tensor::zeros({source.of.count(), config_.width}));
    }
    return rows;
  }

  StepFunction steps() const override {
    return [this, stack = stack_.looped(),
            feeding = feeding_.looped()](const StepInput& in) {
      const std::vector<CellState> before =
          by_layers(in.state, stack.layers(), stack.has_cells());
      const Var x =
          config_.feed ? feeding.feed(in.words, in.state.back()) : in.words;
      const RecurrentStack::Reading next =
          stack(x, single_rows(static_cast<int>(x.dim(0))), before,
                in.pass.in("stack"));
      const Var context = in.look(next.states);
      const Var attentional = feeding.attentional(context, next.states);
      StepOutput output{flat(next.last), {attentional}};
      if (config_.feed) output.state.push_back(attentional);
      return output;
    };
  }

 private:
  // Without feeding no step waits for another one.
  Forced at_once(const Encoded& source, const Var& words, const Segments& of,
                 const Pass& pass, bool want_weights) const {
    const Var h = stack_(words, of, first_(source), pass.in("stack")).states;
    const Pass in_attend = pass.in("attend");
    const Memory memory = attention().remember(
        {.keys = source.states, .of = source.of}, in_attend);
    Attended attended =
        attention().attend({.rows = h, .of = of, .want_weights = want_weights},
                           memory, {}, in_attend);
    const Var out = feeding_.attentional(attended.context, h);
    return {drop(out, config_.dropout, pass), std::move(attended.weights)};
  }

  DecoderConfig config_;
  FirstState first_;
  RecurrentStack stack_;
  InputFeeding feeding_;
};

}  // namespace

std::unique_ptr<SequencePredictor> make_luong_decoder(
    const DecoderConfig& config, const ComposedConfig& attend,
    const DecoderSizes& sizes, RandomKey key) {
  check_recurrent(config);
  return std::make_unique<Luong>(config, attend, sizes, key);
}

}  // namespace fovea
