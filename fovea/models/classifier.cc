#include "fovea/models/classifier.h"

#include <algorithm>

#include "fovea/attend/reinforce.h"
#include "fovea/autograd/cross_entropy.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

// Where attention draws, the texts' losses are the costs of its choices.
Var loss_of_choices(const Var& logits, const Batch& batch, const Pass& pass,
                    double normaliser) {
  const Var copy = logits.value().clone();  // the loss consumes its own
  const Tensor costs = cross_entropy_rows(copy, batch.labels).value();
  const Var drawn =
      reinforce_loss(*pass.choices, costs, ReinforceConfig{}, pass.updates);
  return scale(drawn, static_cast<float>(batch.size() / normaliser));
}

}  // namespace

Classifier::Classifier(const ClassifierConfig& config, RandomKey key)
    : config_(config),
      embed_(config.embed, config.words, key.with("embed")),
      encoder_(
          make_encoder(config.encode, config.embed.width, key.with("encoder"))),
      classes_(config.classes, config.attend,
               {.encoded = encoder_->widths(), .classes = config.labels},
               key.with("classes")) {}

Var Classifier::logits(const Ids& text, const Pass& pass) const {
  return classify(encode(embed(text, pass), text.of, pass), pass);
}

Var Classifier::embed(const Ids& text, const Pass& pass) const {
  return embed_(text.ids, text.of, pass.in("embed"));
}

Encoded Classifier::encode(const Var& embedded, const Segments& of,
                           const Pass& pass) const {
  return (*encoder_)(embedded, of, pass.in("encoder"));
}

Var Classifier::classify(const Encoded& text, const Pass& pass) const {
  return classes_(text, pass.in("classes"));
}

BatchLoss Classifier::loss(const Batch& batch, const LossOptions& options,
                           const Pass& pass) const {
  check(std::ssize(batch.labels) == batch.size(),
        "classifier: ", batch.labels.size(), " labels for ", batch.size(),
        " texts");
  const double normaliser =
      options.normaliser > 0 ? options.normaliser : std::max(1, batch.size());
  const Var scores = logits(batch.source, pass);
  Var extra;
  if (pass.choices && !pass.choices->empty()) {
    extra = loss_of_choices(scores, batch, pass, normaliser);
  }
  const CrossEntropy entropy =
      cross_entropy(scores, batch.labels,
                    {.smoothing = options.label_smoothing,
                     .form = options.smooth_all ? Smoothing::kAllClasses
                                                : Smoothing::kWrongClasses,
                     .normaliser = normaliser});
  return {.total = extra ? entropy.loss + extra : entropy.loss,
          .loss = entropy.sum,
          .nll = entropy.nll,
          .rows = entropy.rows,
          .correct = entropy.correct};
}

void Classifier::params(Params& p) {
  p("embed", embed_);
  p("encoder", *encoder_);
  p("classes", classes_);
}

}  // namespace fovea
