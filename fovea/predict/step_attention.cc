#include "fovea/predict/step_attention.h"

#include <numeric>

#include "fovea/attend/pair_record.h"
#include "fovea/attend/trace.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

Var column(const Var& x) { return reshape(x, {x.value().size(), 1}); }

// Numbers of all steps one after another, then in another order.
Var picked(const std::vector<Var>& steps, std::span<const int> order) {
  std::vector<Var> columns;
  for (const Var& x : steps) columns.push_back(column(x));
  return reshape(gather(concat_rows(columns), order),
                 {static_cast<int64_t>(order.size())});
}

}  // namespace

Segments single_rows(int count) {
  return Segments::from_lengths(std::vector<int>(count, 1));
}

StepAttention::StepAttention(const Composed& attention, const Memory& memory,
                             const Segments& of, const Pass& pass,
                             bool want_weights)
    : attention_(attention),
      memory_(memory),
      of_(of),
      pass_(pass),
      order_(of),
      wants_(want_weights),
      traces_(!traced_heads(pass, attention.config().heads).empty()) {}

Var StepAttention::look(const Var& queries, int step) {
  const int count = order_.active(step);
  if (carry_ && carry_.of.count() > count) {
    std::vector<int> first(count);
    std::iota(first.begin(), first.end(), 0);
    carry_ = carry_.select(first);
  }
  Pass pass = pass_;  // its records and choices are joined at the end
  pass.trace = nullptr;
  pass.choices = pass_.choices ? &choices_ : nullptr;
  const std::vector<int> positions(count, step);
  Queries asked{.rows = queries,
                .of = single_rows(count),
                .memory = order_.sequences(step),
                .position = positions,
                .want_weights = wants_ || traces_};
  if (count == 0) {  // no list of sequences means all of them
    asked.of = Segments::from_lengths(std::vector<int>(of_.count(), 0));
  }
  Attended attended = attention_.attend(asked, memory_, carry_, pass);
  carry_ = std::move(attended.carry);
  if (wants_ || traces_) weights_.push_back(std::move(attended.weights));
  if (traces_) queries_.push_back(queries);
  return attended.context;
}

Weights StepAttention::finish() {
  if (pass_.choices && !choices_.empty()) join_choices();
  if (weights_.empty()) return {};
  Weights weights = joined_weights();
  if (traces_) trace(weights);
  return wants_ ? weights : Weights{};
}

void StepAttention::join_choices() const {
  check(std::ssize(choices_) == order_.steps(), "predict: ", choices_.size(),
        " choices in ", order_.steps(), " steps");
  std::vector<Var> log_probability, entropy;
  for (const Choice& choice : choices_) {
    log_probability.push_back(choice.log_probability);
    entropy.push_back(choice.entropy);
  }
  pass_.choices->push_back(
      {.name = choices_[0].name,
       .log_probability = picked(log_probability, order_.places()),
       .entropy = picked(entropy, order_.places()),
       .of = of_,
       .baseline = choices_[0].baseline});
}

Weights StepAttention::joined_weights() const {
  std::vector<Var> values, scores;
  std::vector<int64_t> begin(of_.total());  // of the numbers of each row
  std::vector<Pairs::Row> rows(of_.total());
  int64_t numbers = 0;
  for (int t = 0; t < order_.steps(); ++t) {
    const Weights& w = weights_[t];
    for (int i = 0; i < order_.active(t); ++i) {
      const int row = order_.rows()[order_.begin(t) + i];
      rows[row] = w.pairs.row(i);
      begin[row] = numbers + w.pairs.begin(i, 0);
    }
    numbers += w.pairs.size();
    values.push_back(w.values);
    if (w.scores) scores.push_back(w.scores);
  }
  const Pairs& first = weights_[0].pairs;
  std::vector<int> order;
  for (size_t m = 0; m < rows.size(); ++m) {
    for (int i = 0; i < first.heads() * rows[m].keys; ++i) {
      order.push_back(static_cast<int>(begin[m]) + i);
    }
  }
  Weights all{picked(values, order),
              Pairs(std::move(rows), first.heads(), first.key_heads()),
              {}};
  if (scores.size() == values.size()) all.scores = picked(scores, order);
  return all;
}

void StepAttention::trace(const Weights& weights) const {
  RecordPlaces places{of_, {}, memory_.kept};
  for (int b = 0; b < of_.count(); ++b) {
    places.keys.push_back(memory_.full_lengths.empty()
                              ? memory_.rows[b].length
                              : memory_.full_lengths[b]);
  }
  const ComposedConfig& config = attention_.config();
  pass_.trace->add(pair_record(
      {.name = pass_.name(), .kind = "cross", .score = config.score},
      traced_heads(pass_, config.heads), weights, places,
      attention_.vectors(
          {.rows = gather(concat_rows(queries_), order_.places()), .of = of_},
          memory_, pass_)));
}

Var look_once(const Composed& attention, const Var& queries, State& state,
              const Pass& pass) {
  Attended attended =
      attention.attend({.rows = queries,
                        .of = single_rows(state.count()),
                        .memory = state.source,
                        .position = state.position},
                       state.memories->front(), state.carries.front(), pass);
  state.carries.front() = std::move(attended.carry);
  return attended.context;
}

}  // namespace fovea
