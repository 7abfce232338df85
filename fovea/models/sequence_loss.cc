#include "fovea/models/sequence_loss.h"

#include <algorithm>

#include "fovea/attend/reinforce.h"
#include "fovea/autograd/cross_entropy.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/reduce.h"
#include "fovea/models/guided_alignment.h"
#include "fovea/models/seq2seq.h"

namespace fovea {
namespace {

CrossEntropyOptions options_of(const LossOptions& options) {
  return {.smoothing = options.label_smoothing,
          .form = options.smooth_all ? Smoothing::kAllClasses
                                     : Smoothing::kWrongClasses,
          .normaliser = options.normaliser};
}

// The summed loss of each sequence.
Tensor costs_of(const Tensor& rows, const Segments& of) {
  Tensor costs = Tensor::zeros({of.count()});
  for (int b = 0; b < of.count(); ++b) {
    for (int i = of.begin(b); i < of.end(b); ++i) costs[b] += rows[i];
  }
  return costs;
}

// Where attention draws, the words' losses are also the costs of its choices.
// The whole is divided by the words instead of the sequences.
Var loss_of_choices(const Var& hidden, const Seq2Seq& model, const Batch& batch,
                    const Pass& pass, double normaliser) {
  Tensor costs;
  {
    const NoGrad none;
    const Var logits = model.readout(hidden.value());
    costs = costs_of(cross_entropy_rows(logits, batch.target.ids).value(),
                     batch.target.of);
  }
  const Var drawn =
      reinforce_loss(*pass.choices, costs, ReinforceConfig{}, pass.updates);
  return scale(drawn, static_cast<float>(batch.target.of.count() / normaliser));
}

// The likeliest word at each place, given the gold words before it.
Ids own_words(const Seq2Seq& model, const Encoded& source, const Ids& gold) {
  const NoGrad none;
  const Pass pass;
  const Tensor scores =
      model.readout(model.forced(source, gold, pass).hidden).value();
  Ids own = gold;
  for (int64_t row = 0; row < scores.rows(); ++row) {
    const float* at = scores.data() + row * scores.cols();
    own.ids[row] =
        static_cast<int>(std::max_element(at, at + scores.cols()) - at);
  }
  return own;
}

// Some gold words give way to what the model would have said in their place
// (Bengio et al. 2015), all places at once (Duckworth et al. 2019).
Ids words_to_read(const Seq2Seq& model, const Encoded& source, const Ids& gold,
                  const LossOptions& options, const Pass& pass) {
  Ids words = gold;
  if (pass.training && options.teacher_forcing < 1) {
    const Ids own = own_words(model, source, gold);
    const RandomKey key = pass.key.with("teacher");
    for (size_t i = 0; i < words.ids.size(); ++i) {
      const float u = random_uniform(key, static_cast<uint32_t>(i));
      if (u > options.teacher_forcing) words.ids[i] = own.ids[i];
    }
  }
  return read_before(words, model.begin());
}

}  // namespace

BatchLoss sequence_loss(const Seq2Seq& model, const Batch& batch,
                        const LossOptions& options, const Pass& pass) {
  const bool guided = options.guided_alignment > 0 && !batch.links.empty();
  const Encoded source = model.encode(batch.source, pass);
  const Forced forced = model.forced_on(
      source, words_to_read(model, source, batch.target, options, pass), pass,
      guided);
  const double normaliser = options.normaliser > 0
                                ? options.normaliser
                                : std::max(1, batch.target.of.total());

  // Before the logits are consumed: the choices need their own.
  Var extra;
  if (pass.choices && !pass.choices->empty()) {
    extra = loss_of_choices(forced.hidden, model, batch, pass, normaliser);
  }
  const CrossEntropy entropy = cross_entropy(
      model.readout(forced.hidden), batch.target.ids, options_of(options));
  BatchLoss result{.total = entropy.loss,
                   .loss = entropy.sum,
                   .nll = entropy.nll,
                   .rows = entropy.rows,
                   .correct = entropy.correct};
  if (extra) result.total = result.total + extra;
  if (guided && forced.weights.values) {
    const Var apart = guided_alignment_loss(forced.weights, batch.links,
                                            batch.target.of, normaliser);
    result.total = result.total + scale(apart, options.guided_alignment);
  }
  return result;
}

}  // namespace fovea
