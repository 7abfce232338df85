#include "cli/train_validation.h"

#include <cmath>

#include "cli/alignment_map.h"
#include "cli/train_text.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/stop.h"
#include "fovea/decode/translate_texts.h"
#include "fovea/eval/bleu.h"
#include "fovea/eval/chrf.h"
#include "fovea/io/text_file.h"

namespace fovea::cli {
namespace {

struct StoppedBySignal {};

void stop_on_signal() {
  if (stop_signal() != 0) throw StoppedBySignal{};
}

std::vector<std::string> lines_of(const std::vector<std::string>& paths) {
  std::vector<std::string> lines;
  for (const std::string& path : paths) {
    LineReader reader(path);
    while (const auto line = reader.next()) lines.emplace_back(*line);
  }
  return lines;
}

std::vector<Batch> batches_of(const TrainConfig& config,
                              const Tokenizer& source,
                              const Tokenizer& target) {
  CorpusConfig corpus = config.corpus;
  corpus.src = config.valid_src;
  corpus.tgt = config.valid_tgt;
  corpus.weights.clear();
  corpus.skip.clear();
  corpus.alignments.clear();
  const Corpus held_out = Corpus::of_pairs(corpus, source, target);
  const CorpusSize& size = held_out.size();
  const std::string limit =
      join("longer than ", longest_text(config.corpus), ", or without a token");
  check_data(size.examples > 0, config.valid_src.front(),
             ": no pair to judge by: all are ", limit);
  const int64_t out = size.too_long + size.empty;
  if (out > 0) {
    log_warning("validation: ", out, " pairs are ", limit,
                ": left out of the loss, not of BLEU and chrF");
  }
  return held_out.in_order();
}

// References of fewer than four words have BLEU 0 even against themselves.
StopMetric metric_for(StopMetric wanted,
                      const std::vector<std::string>& references) {
  if (wanted != StopMetric::kBleu ||
      corpus_score(Bleu(), references, references) > 0) {
    return wanted;
  }
  log_info("no validation target has four words, as BLEU needs: chrF decides");
  return StopMetric::kChrf;
}

}  // namespace

TranslationValidator::TranslationValidator(const Seq2Seq& model,
                                           const Tokenizer& source,
                                           const Tokenizer& target,
                                           int source_length,
                                           const TrainConfig& config)
    : model_(model),
      source_(source),
      target_(target),
      source_length_(source_length),
      config_(config),
      batches_(batches_of(config, source, target)),
      sources_(lines_of(config.valid_src)),
      references_(lines_of(config.valid_tgt)),
      metric_(metric_for(config.stop_metric, references_)) {}

TranslationValidator::Judged TranslationValidator::force() const {
  const NoGrad none;
  Judged all;
  for (const Batch& batch : batches_) {
    stop_on_signal();
    const BatchLoss loss = model_.loss(batch, {}, Pass{});
    all.nll += loss.nll;
    all.rows += loss.rows;
    all.correct += loss.correct;
  }
  return all;
}

std::vector<std::string> TranslationValidator::translate() const {
  std::vector<TranslateRequest> requests;
  for (const std::string& line : sources_) requests.push_back({line});
  const Seq2Seq* models[] = {&model_};
  TranslateOptions options;
  options.all.search.beam_size = config_.valid_beam_size;
  std::vector<std::string> outputs;
  const Voters voters{.models = models,
                      .source = source_,
                      .target = target_,
                      .source_length = source_length_};
  const TranslateWatch watch{.share = [](double) { stop_on_signal(); }};
  for (const auto& found : translate_texts(voters, requests, options, watch)) {
    outputs.push_back(found.front().text);
  }
  return outputs;
}

Sample TranslationValidator::sample(size_t line,
                                    const std::string& output) const {
  return {sources_[line], output, references_[line],
          alignment_map(model_, source_, target_, sources_[line], output)};
}

std::optional<Validation> TranslationValidator::operator()() {
  try {
    return judge();
  } catch (const StoppedBySignal&) {
    return std::nullopt;
  }
}

Validation TranslationValidator::judge() {
  const Judged judged = force();
  const auto rows = static_cast<double>(std::max<int64_t>(1, judged.rows));
  const double loss = judged.nll / rows;
  Validation result;
  result.loss = loss;
  result.numbers = {
      {"loss", loss},
      {"perplexity", std::exp(loss)},
      {"accuracy", 100.0 * static_cast<double>(judged.correct) / rows}};
  const std::vector<std::string> outputs = translate();
  const double bleu = corpus_score(Bleu(), outputs, references_);
  const double chrf = corpus_score(Chrf(), outputs, references_);
  result.numbers.emplace_back("bleu", bleu);
  result.numbers.emplace_back("chrf", chrf);
  switch (metric_) {
    case StopMetric::kLoss:
      result.score = -loss;
      break;
    case StopMetric::kBleu:
      result.score = bleu;
      break;
    case StopMetric::kChrf:
      result.score = chrf;
      break;
    case StopMetric::kAccuracy:
      result.score = static_cast<double>(judged.correct) / rows;
      break;
  }
  samples_.clear();
  const size_t shown = std::min<size_t>(config_.valid_samples, sources_.size());
  for (size_t i = 0; i < shown; ++i) samples_.push_back(sample(i, outputs[i]));
  return result;
}

}  // namespace fovea::cli
