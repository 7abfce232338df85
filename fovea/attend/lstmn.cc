#include "fovea/attend/lstmn.h"

#include <numeric>
#include <vector>

#include "fovea/attend/impose.h"
#include "fovea/attend/pair_record.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/layers/init.h"

namespace fovea {
namespace {

Var xavier(int64_t out, int64_t in, RandomKey key) {
  return Var::parameter(xavier_init(out, in, key));
}

bool is_imposed(const Pass& pass) {
  return imposed(pass) ||
         (pass.impose && pass.impose->head_mask_of(pass.name()));
}

// What `pass` makes of the layer's own weights.
Var changed(const LstmnStates& own, const Pass& pass) {
  const Var weights = impose_weights(own.weights, own.pairs, pass);
  const Var column = reshape(weights, {own.pairs.size(), 1});
  return reshape(impose_head_mask(column, 1, pass), {own.pairs.size()});
}

void trace(const LstmnStates& states, const Segments& of, const Pass& pass) {
  std::vector<int> heads = traced_heads(pass, 1);
  if (heads.empty()) return;
  RecordPlaces places{of, {}};
  for (int b = 0; b < of.count(); ++b) {
    const bool some = of.length(b) > 0;
    places.keys.push_back(some ? states.pairs.row(of.end(b) - 1).keys : 0);
  }
  const int step = of.total() > 0 ? states.pairs.row(0).position : 0;
  pass.trace->add(pair_record(
      {.name = pass.name(), .kind = "intra", .score = "additive", .step = step},
      std::move(heads), {states.weights, states.pairs}, places));
}

LstmnReading reading(const LstmnStates& states, const Segments& of,
                     const Pass& pass) {
  trace(states, of, pass);
  return {states.states, states.cells, {states.weights, states.pairs}};
}

}  // namespace

Lstmn::Lstmn(const LstmnConfig& config, int in, RandomKey key)
    : config_(config), scored_(config.hidden ? config.hidden : config.width) {
  check_usage(config.width >= 1, "width is ", config.width,
              ": give at least 1");
  check_usage(config.hidden >= 0, "hidden is ", config.hidden,
              ": give 0 or more");
  const int64_t d = config.width;
  input_ = xavier(4 * d, in, key.with("input"));
  recurrent_ = xavier(4 * d, d, key.with("recurrent"));
  bias_ = Var::parameter(Tensor::zeros({4 * d}));
  key_ = xavier(scored_, d, key.with("key"));
  query_ = xavier(scored_, in, key.with("query"));
  if (config.summary) summary_ = xavier(scored_, d, key.with("summary"));
  v_ = Var::parameter(
      xavier_init(1, scored_, key.with("v")).reshaped({scored_}));
  if (config.fusion) fusion_ = Linear(d + in, d, true, key.with("fusion"));
}

LstmnWeights Lstmn::weights() const {
  return {.cell = {.input = input_, .recurrent = recurrent_, .bias = bias_},
          .key = key_,
          .query = query_,
          .summary = summary_,
          .v = v_,
          .packed = packed_.get()};
}

LstmnInput Lstmn::input(const Var& x, const Segments& of,
                        const InterSummary& inter) const {
  check_usage(config_.fusion == (inter.states && inter.cells),
              "lstmn: a summary of another sequence and 'fusion' need each "
              "other");
  LstmnInput in{.x = x, .of = of};
  if (config_.fusion) {
    const Var gate =
        fusion_(concat_columns({inter.states, x}), Activation::kSigmoid);
    in.added = gate * inter.cells;
  }
  return in;
}

LstmnReading Lstmn::operator()(const Var& x, const Segments& of,
                               const Pass& pass,
                               const InterSummary& inter) const {
  LstmnInput in = input(x, of, inter);
  if (is_imposed(pass)) in.weights = changed(lstmn(in, weights()), pass);
  return reading(lstmn(in, weights()), of, pass);
}

LstmnTape Lstmn::start(int sequences) const {
  return empty_lstmn_tape(sequences, config_.width, scored_);
}

LstmnReading Lstmn::extend(LstmnTape& tape, const Var& x, const Segments& of,
                           const Pass& pass, const InterSummary& inter) const {
  LstmnInput in = input(x, of, inter);
  if (is_imposed(pass)) {
    std::vector<int> all(tape.rows.size());
    std::iota(all.begin(), all.end(), 0);
    LstmnTape copy = tape.select(all);
    in.weights = changed(lstmn(copy, in, weights()), pass);
  }
  return reading(lstmn(tape, in, weights()), of, pass);
}

void Lstmn::params(Params& p) {
  p("input", input_);
  p("recurrent", recurrent_);
  p("bias", bias_);
  p("key", key_);
  p("query", query_);
  p("summary", summary_);
  p("v", v_);
  if (fusion_) p("fusion", fusion_);
  const auto pack = [this](Precision precision) {
    packed_ = std::make_shared<PackedLstmn>(pack_lstmn(weights(), precision));
  };
  p.packing({pack, [this] { packed_.reset(); }});
}

}  // namespace fovea
