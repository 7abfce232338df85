#include "fovea/explain/retrainer.h"

#include <algorithm>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"
#include "fovea/eval/classification.h"
#include "fovea/eval/distribution_distance.h"
#include "fovea/explain/distance_ops.h"
#include "fovea/explain/rows.h"
#include "fovea/io/text_file.h"
#include "fovea/train/in_memory.h"

namespace fovea {
namespace {

constexpr int64_t kHeldOut = 10;  // every so many-th line judges
constexpr size_t kTestBatch = 64;

// The output and the weights of a classifier.
struct Seen {
  Var outputs, weights;
  Pairs pairs = {};
};

Seen see(const Classifier& model, const Ids& text, const Pass& pass,
         const Impose::Change& change = {}) {
  Seen seen;
  Impose impose;
  impose.weights(Classifier::kPoolLayer,
                 [&](const Var& own, const Pairs& pairs) {
                   seen.weights = change ? change(own, pairs) : own;
                   seen.pairs = pairs;
                   return seen.weights;
                 });
  Pass with = pass;
  with.impose = &impose;
  seen.outputs = softmax(model.logits(text, with));
  return seen;
}

Tensor weights_of(const Classifier& model, const Ids& text) {
  const NoGrad none;
  return see(model, text, Pass{}).weights.value();
}

// As maps show them, text by text.
Tensor shown(const Seen& seen) {
  return shown_weights(seen.weights, seen.pairs, -1).value();
}

}  // namespace

Retrainer::Retrainer(const ClassifierModel& base,
                     std::span<const TestText> texts,
                     const RetrainingConfig& config)
    : base_(base), config_(config), held_out_(part(true, 1).in_order()) {
  check_data(!held_out_.empty(), config.train, ": too few labelled lines");
  for (const TestText& text : texts) {
    labels_.push_back(base.labels.at(text.label));
  }
  for (size_t i = 0; i < texts.size(); i += kTestBatch) {
    const auto some = texts.subspan(i, std::min(kTestBatch, texts.size() - i));
    test_.push_back(with_end_marks(some, {.source = base.text.end()}).source);
  }
}

Corpus Retrainer::part(bool held_out, int64_t seed) const {
  std::vector<bool> skip;
  LineReader reader(config_.train);
  while (reader.next()) {
    const bool is_held_out = std::ssize(skip) % kHeldOut == 0;
    skip.push_back(is_held_out != held_out);
  }
  CorpusConfig corpus;
  corpus.labelled = {config_.train};
  corpus.batch_tokens = config_.batch_tokens;
  corpus.seed = seed;
  corpus.skip = {skip};
  return Corpus::of_labels(corpus, base_.text, base_.labels);
}

int64_t Retrainer::epochs(const RetrainingJob& job) const {
  const bool own = job.lambda >= 0 && config_.adversary_epochs > 0;
  return own ? config_.adversary_epochs : config_.epochs;
}

std::unique_ptr<Classifier> Retrainer::train(
    const RetrainingJob& job, const std::function<void()>& epoch) const {
  ClassifierConfig parts = base_.config.model;
  if (job.tokenwise) {
    parts.encode.kind = "mlp";
    parts.encode.layers = 1;
    parts.encode.activation = Activation::kTanh;
  }
  auto model = std::make_unique<Classifier>(
      parts, RandomKey(static_cast<uint64_t>(job.seed)).with("model"));
  InMemoryTraining training{.epochs = epochs(job), .seed = job.seed};
  training.schedule.lr = config_.lr;
  const Classifier& trained = *model;
  train_in_memory(Params(*model), part(false, job.seed),
                  {.loss =
                       [&](const Batch& batch, const Pass& pass) {
                         return job.lambda >= 0
                                    ? adversary_loss(trained, batch, pass,
                                                     job.lambda)
                                    : label_loss(trained, batch, pass, job);
                       },
                   .score = [&] { return score(trained, job); },
                   .epoch = epoch},
                  training);
  return model;
}

RetrainedModel Retrainer::judge(const Classifier& model,
                                const RetrainingJob& job) const {
  const NoGrad none;
  RetrainedModel result{.name = job.name};
  std::vector<std::string> predicted;
  for (const Ids& text : test_) {
    const Seen base = see(*base_.model, text, Pass{}),
               seen = see(model, text, Pass{}, change(text, job));
    const Segments rows = shown_rows(seen.pairs);
    const Tensor w = shown(seen), v = shown(base);
    for (int b = 0; b < rows.count(); ++b) {
      const auto p = row_of(seen.outputs.value(), b);
      predicted.push_back(base_.labels[first_largest(p)]);
      result.distance += total_variation(p, row_of(base.outputs.value(), b));
      const auto length = static_cast<size_t>(rows.length(b));
      result.js.push_back(js_divergence({w.data() + rows.begin(b), length},
                                        {v.data() + rows.begin(b), length}));
    }
  }
  const Confusion confusion(predicted, labels_);
  result.accuracy = confusion.accuracy();
  result.macro_f1 = confusion.macro_f1();
  result.distance /= std::max(1.0, static_cast<double>(labels_.size()));
  return result;
}

// What replaces the weights of these texts; nothing: their own stay.
Impose::Change Retrainer::change(const Ids& text,
                                 const RetrainingJob& job) const {
  switch (job.weights) {
    case WeightSource::kUniform:
      return
          [](const Var&, const Pairs& pairs) { return uniform_weights(pairs); };
    case WeightSource::kModel:
      return frozen(weights_of(*base_.model, text));
    case WeightSource::kAdversary:
      return frozen(weights_of(*job.adversary, text));
    default:
      return {};
  }
}

Var Retrainer::label_loss(const Classifier& model, const Batch& batch,
                          const Pass& pass, const RetrainingJob& job) const {
  const Impose::Change changed = change(batch.source, job);
  Impose impose;
  if (changed) impose.weights(Classifier::kPoolLayer, changed);
  Pass with = pass;
  with.impose = &impose;
  return model.loss(batch, {}, with).total;
}

// A text's total variation of outputs, less the worth of other weights.
Var Retrainer::adversary_loss(const Classifier& model, const Batch& batch,
                              const Pass& pass, double lambda) const {
  Tensor outputs, weights;
  {
    const NoGrad none;
    const Seen base = see(*base_.model, batch.source, Pass{});
    outputs = base.outputs.value();
    weights = base.weights.value();
  }
  const Seen seen = see(model, batch.source, pass);
  const Var moved = scale(sum(absolute(seen.outputs - outputs)), 0.5f);
  const Var apart =
      scale(kl_sum(seen.weights, weights), static_cast<float>(lambda));
  return scale(moved - apart, 1.0f / static_cast<float>(batch.size()));
}

// On the lines that are held out.
double Retrainer::score(const Classifier& model,
                        const RetrainingJob& job) const {
  const NoGrad none;
  double sum = 0;
  for (const Batch& batch : held_out_) {
    if (job.lambda >= 0) {
      const Var loss = adversary_loss(model, batch, Pass{}, job.lambda);
      sum -= double{loss.value().item()} * batch.size();
    } else {
      sum += correct(model, batch, job);
    }
  }
  return sum;
}

double Retrainer::correct(const Classifier& model, const Batch& batch,
                          const RetrainingJob& job) const {
  const Seen seen = see(model, batch.source, Pass{}, change(batch.source, job));
  double right = 0;
  for (int b = 0; b < batch.size(); ++b) {
    right += first_largest(row_of(seen.outputs.value(), b)) == batch.labels[b];
  }
  return right;
}

}  // namespace fovea
