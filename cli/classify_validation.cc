#include "cli/classify_validation.h"

#include <algorithm>

#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "fovea/base/stop.h"
#include "fovea/data/batch.h"
#include "fovea/data/labelled.h"
#include "fovea/decode/classify_all.h"
#include "fovea/eval/classification.h"
#include "fovea/io/text_file.h"

namespace fovea::cli {
namespace {

std::vector<Batch> batches_of(const TrainConfig& config, const Tokenizer& text,
                              const std::vector<std::string>& labels) {
  CorpusConfig corpus = config.corpus;
  corpus.labelled = config.valid;
  corpus.weights.clear();
  corpus.skip.clear();
  return Corpus::of_labels(corpus, text, labels).in_order();
}

int largest(std::span<const float> scores) {
  return static_cast<int>(std::max_element(scores.begin(), scores.end()) -
                          scores.begin());
}

// The weights of the pool over the tokens of one text.
Heatmap pooling_map(const Trace& trace, const std::string& label,
                    std::vector<std::string> tokens) {
  if (trace.records().empty()) return {};
  const Record& record = trace.records().front();
  if (record.keys(0) != std::ssize(tokens)) return {};
  return heatmap_of_weights(record.mean_weights(0), {label}, std::move(tokens));
}

}  // namespace

ClassifierValidator::ClassifierValidator(const Classifier& model,
                                         const Tokenizer& text,
                                         const std::vector<std::string>& labels,
                                         const TrainConfig& config)
    : model_(model),
      text_(text),
      labels_(labels),
      config_(config),
      batches_(batches_of(config, text, labels)) {
  check_data(!batches_.empty(), config.valid.front(),
             ": holds no line with a known label to judge by");
}

Sample ClassifierValidator::sample(const std::string& text,
                                   const std::string& label) const {
  const NoGrad none;
  Trace trace({{.layer = Classifier::kPoolLayer}});
  const Ids ids =
      with_end(std::vector<std::vector<int>>{text_.encode(text)}, text_.end());
  const Tensor scores = model_.logits(ids, Pass{.trace = &trace}).value();
  const std::string& output = labels_[largest(scores.span())];
  std::vector<std::string> tokens;
  for (int id : ids.ids) tokens.push_back(text_.piece(id));
  return {text, output, label, pooling_map(trace, output, std::move(tokens))};
}

std::optional<Validation> ClassifierValidator::operator()() {
  const NoGrad none;
  double nll = 0;
  std::vector<std::string> predicted, truth;
  for (const Batch& batch : batches_) {
    if (stop_signal() != 0) return std::nullopt;
    nll += model_.loss(batch, {}, Pass{}).nll;
    const Tensor scores = model_.logits(batch.source, Pass{}).value();
    for (int b = 0; b < batch.size(); ++b) {
      predicted.push_back(labels_[largest(scores.row_range(b, b + 1).span())]);
      truth.push_back(labels_[batch.labels[b]]);
    }
  }
  const Confusion confusion(predicted, truth);
  const double loss = nll / static_cast<double>(truth.size());
  samples_.clear();
  LineReader reader(config_.valid.front());
  while (std::ssize(samples_) < config_.valid_samples) {
    const auto line = reader.next();
    if (!line) break;
    if (const auto read = read_labelled(*line)) {
      samples_.push_back(
          sample(std::string(read->text), std::string(read->label)));
    }
  }
  return Validation{.numbers = {{"loss", loss},
                                {"accuracy", confusion.accuracy()},
                                {"macro_f1", confusion.macro_f1()}},
                    .score = config_.stop_metric == StopMetric::kLoss
                                 ? -loss
                                 : confusion.accuracy(),
                    .loss = loss};
}

}  // namespace fovea::cli
