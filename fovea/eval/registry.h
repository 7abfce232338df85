#pragma once

#include <memory>
#include <span>
#include <string>

#include "fovea/eval/bleu.h"
#include "fovea/eval/chrf.h"
#include "fovea/eval/perplexity.h"
#include "fovea/eval/ter_tokens.h"

namespace fovea {

// The options of all metrics, for the command line.
struct MetricOptions {
  bool lowercase = false;
  BleuTokenizer tokenize = BleuTokenizer::k13a;
  BleuSmoothing smooth_method = BleuSmoothing::kExp;
  double smooth_value = 0;  // 0: the method's own
  bool effective_order = false;
  bool split_compounds = false;
  int chrf_char_order = ChrfOptions().char_order;
  int chrf_beta = ChrfOptions().beta;
  bool chrf_eps_smoothing = false;
  bool ter_case_sensitive = false;
  bool ter_normalized = false;
  bool ter_no_punct = false;
  bool ter_asian_support = false;
  bool one_based = false;
  LogBase log_base = LogBase::kE;

  void fields(auto&& field) {
    field("lowercase", lowercase,
          "compare in lower case (TER does so by itself)");
    field("tokenize", tokenize,
          "BLEU: 13a, none, or ascii-space, which\nsplits at ASCII space only");
    field("smooth-method", smooth_method, "BLEU: exp, floor, add-k or none");
    field("smooth-value", smooth_value,
          "BLEU: for floor (0.1) and add-k (1); 0 is\nthe method's own");
    field("effective-order", effective_order,
          "BLEU: leave out orders without n-grams;\nsentences always do");
    field("split-compounds", split_compounds,
          "BLEU: split words at hyphens, only to compare\nwith numbers got so");
    field("chrf-char-order", chrf_char_order, "chrF: longest n-grams");
    field("chrf-beta", chrf_beta, "chrF: weight of recall");
    field("chrf-eps-smoothing", chrf_eps_smoothing,
          "chrF: mean of each order's F score");
    field("ter-case-sensitive", ter_case_sensitive, "TER: heed case");
    field("ter-normalized", ter_normalized, "TER: tokenize as Tercom");
    field("ter-no-punct", ter_no_punct, "TER: leave out punctuation");
    field("ter-asian-support", ter_asian_support,
          "TER: the two above for Chinese and Japanese");
    field("one-based", one_based, "AER: words are counted from 1, not 0");
    field("log-base", log_base,
          "perplexity: base of the logarithms read: e, 2\nor 10");
  }
};

struct MetricEntry {
  const char* name;
  const char* help;
  std::unique_ptr<Metric> (*make)(const MetricOptions& options);
};

std::span<const MetricEntry> metric_registry();

// An unknown name is a usage error.
std::unique_ptr<Metric> make_metric(const std::string& name,
                                    const MetricOptions& options = {});

}  // namespace fovea
