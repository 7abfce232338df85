#include "fovea/eval/registry.h"

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/eval/accuracy.h"
#include "fovea/eval/alignment_error.h"
#include "fovea/eval/calibration.h"
#include "fovea/eval/classification.h"
#include "fovea/eval/error_rate.h"
#include "fovea/eval/ter.h"

namespace fovea {
namespace {

using Made = std::unique_ptr<Metric>;

BleuOptions bleu_options(const MetricOptions& o) {
  BleuOptions options{.tokenizer = o.tokenize,
                      .smoothing = o.smooth_method,
                      .effective_order = o.effective_order,
                      .lower_case = o.lowercase,
                      .split_compounds = o.split_compounds};
  if (o.smooth_value != 0) options.smooth_value = o.smooth_value;
  return options;
}

Made make_bleu(const MetricOptions& o) {
  return std::make_unique<Bleu>(bleu_options(o));
}

Made make_multi_bleu(const MetricOptions& o) {
  BleuOptions options = multi_bleu_options();
  options.lower_case = o.lowercase;
  options.split_compounds = o.split_compounds;
  return std::make_unique<Bleu>(options);
}

ChrfOptions chrf_options(const MetricOptions& o, int word_order) {
  return {.char_order = o.chrf_char_order,
          .word_order = word_order,
          .beta = o.chrf_beta,
          .lower_case = o.lowercase,
          .eps_smoothing = o.chrf_eps_smoothing};
}

Made make_chrf(const MetricOptions& o) {
  return std::make_unique<Chrf>(chrf_options(o, 0));
}

Made make_chrf_plus_plus(const MetricOptions& o) {
  return std::make_unique<Chrf>(chrf_options(o, 2));
}

Made make_ter(const MetricOptions& o) {
  return std::make_unique<Ter>(
      TerOptions{.normalized = o.ter_normalized,
                 .no_punctuation = o.ter_no_punct,
                 .asian_support = o.ter_asian_support,
                 .case_sensitive = o.ter_case_sensitive});
}

Made make_wer(const MetricOptions& o) {
  return std::make_unique<ErrorRate>(PairSymbols{.lower_case = o.lowercase});
}

Made make_cer(const MetricOptions& o) {
  return std::make_unique<ErrorRate>(
      PairSymbols{.characters = true, .lower_case = o.lowercase});
}

Made make_accuracy(const MetricOptions& o) {
  return std::make_unique<Accuracy>(AccuracyOf::kTokens, o.lowercase);
}

Made make_exact(const MetricOptions& o) {
  return std::make_unique<Accuracy>(AccuracyOf::kLines, o.lowercase);
}

Made make_f1(const MetricOptions&) { return std::make_unique<LabelF1>(); }

Made make_ece(const MetricOptions&) {
  return std::make_unique<CalibrationError>();
}

Made make_aer(const MetricOptions& o) {
  return std::make_unique<AlignmentError>(o.one_based ? 1 : 0);
}

Made make_perplexity(const MetricOptions& o) {
  return std::make_unique<Perplexity>(o.log_base);
}

constexpr MetricEntry kMetrics[] = {
    {"bleu", "BLEU of raw text, as sacreBLEU", make_bleu},
    {"multi-bleu", "BLEU of tokenized text, as multi-bleu.perl",
     make_multi_bleu},
    {"chrf", "character n-grams", make_chrf},
    {"chrf++", "character n-grams and words", make_chrf_plus_plus},
    {"ter", "edits of words, moves included", make_ter},
    {"wer", "word error rate", make_wer},
    {"cer", "character error rate", make_cer},
    {"accuracy", "tokens right at their place", make_accuracy},
    {"exact", "lines that are right as a whole", make_exact},
    {"f1", "macro F1 of one label a line", make_f1},
    {"ece", "calibration of 'label<TAB>probability' lines", make_ece},
    {"aer", "alignment error rate of links such as 0-0 1?2", make_aer},
    {"perplexity", "of lines of log-probabilities", make_perplexity},
};

}  // namespace

std::span<const MetricEntry> metric_registry() { return kMetrics; }

std::unique_ptr<Metric> make_metric(const std::string& name,
                                    const MetricOptions& options) {
  std::vector<std::string> names;
  for (const MetricEntry& entry : kMetrics) {
    if (name == entry.name) return entry.make(options);
    names.push_back(entry.name);
  }
  std::string all;
  for (const std::string& known : names) {
    all += (all.empty() ? "" : ", ") + known;
  }
  fail(ErrorKind::kUsage, "no metric is named '", name, "'",
       did_you_mean(name, names), "; there are ", all);
}

}  // namespace fovea
