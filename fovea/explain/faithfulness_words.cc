#include "fovea/explain/faithfulness_words.h"

#include <algorithm>
#include <cmath>
#include <iomanip>

#include "fovea/base/check.h"
#include "fovea/explain/heatmap.h"

namespace fovea {
namespace {

constexpr double kGoodTau = 0.5, kGoodTop = 0.75;
constexpr double kFairTau = 0.25, kFairTop = 0.5;
constexpr double kMost = 0.5;         // share of cases that "most" stands for
constexpr double kPoint = 1.0;        // percent that counts as a difference
constexpr int64_t kEnoughTexts = 10;  // for more than a tendency

using Summary = FaithfulnessSummary;

std::string number(double value) {
  return join(std::fixed, std::setprecision(2), value);
}
std::string percent(double share) {
  return join(std::lround(100 * share), " %");
}
std::string points(double percents) {
  return join(std::fixed, std::setprecision(1), percents, " %");
}

// What a case is called.
std::string cases_name(const Summary& s) {
  return s.is_sequence ? "output words" : "texts";
}

bool is_good(const AgreementSummary& a) {
  return a.tau >= kGoodTau || a.same_top >= kGoodTop;
}
bool is_fair(const AgreementSummary& a) {
  return a.tau >= kFairTau || a.same_top >= kFairTop;
}
bool agree(const Summary& s) {
  return is_good(s.gradient) && is_good(s.erasure);
}
bool agree_somewhat(const Summary& s) {
  return is_fair(s.gradient) && is_fair(s.erasure);
}

bool are_few(const Summary& s) { return s.texts < kEnoughTexts; }
bool is_replaceable(const Summary& s) { return s.adversary_far >= kMost; }
bool is_indifferent(const Summary& s) { return s.permuted_same >= kMost; }
bool is_needless(const Summary& s) {
  return s.retrained() && s.again - s.uniform < kPoint;
}

std::string agreement_words(const AgreementSummary& a) {
  const char* how = is_good(a)   ? "agrees well"
                    : is_fair(a) ? "agrees somewhat"
                                 : "hardly agrees";
  return join(how, " (tau ", number(a.tau), " +- ", number(a.deviation),
              ", significant for ", percent(a.significant),
              ", same first token for ", percent(a.same_top), ")");
}

void add_agreements(const Summary& s, std::vector<std::string>& lines) {
  lines.emplace_back("Gradients: the order of the weights " +
                     agreement_words(s.gradient) +
                     " with that of gradient x embedding, the weights held "
                     "fixed.");
  if (s.states.cases > 0) {
    lines.emplace_back(
        join("Hidden states: tau with gradient x state, the weights held "
             "fixed, is ",
             number(s.states.tau),
             "; what attention takes of a state has its weight as a factor, so "
             "that some of this is no finding."));
  }
  lines.emplace_back(
      "Leaving out: it " + agreement_words(s.erasure) +
      " with how far the output moves when a token is left out.");
  lines.emplace_back(
      join("Yardstick: gradients and leaving out agree with each other by tau ",
           number(s.reference.tau),
           "; no more can be asked of weights than of these."));
  std::string other =
      join("Beside attention: tau with gradient x input ", number(s.input.tau));
  if (s.integrated.cases > 0) {
    other += join(", with integrated gradients ", number(s.integrated.tau),
                  " (largest completeness error ",
                  points(100 * s.integrated_error), ")");
  }
  lines.emplace_back(other + ".");
}

void add_changes(const Summary& s, std::vector<std::string>& lines) {
  lines.emplace_back(
      join("Shuffling: with the weights in random order the output moves by ",
           number(s.permuted), " (median total variation); for ",
           percent(s.permuted_same), " of the ", cases_name(s),
           " by no more than ", number(s.threshold), "."));
  lines.emplace_back(join(
      "Adversary: quite different weights (divergence of 0.5 at least, of ",
      "0.69 possible) with the same output (total variation up to ",
      number(s.threshold), ") exist for ", percent(s.adversary_far), " of the ",
      cases_name(s), "; the median of the largest divergence is ",
      number(s.adversary_median), "."));
  if (s.evidence >= 0) {
    lines.emplace_back(
        join("Known evidence: the token with the largest weight is "
             "the one that decides for ",
             percent(s.evidence), " of the ", cases_name(s), "."));
  }
}

void add_retraining(const Summary& s, std::vector<std::string>& lines) {
  if (!s.retrained()) {
    lines.emplace_back(
        s.is_sequence
            ? "Not tested: models trained again (uniform weights, other seeds, "
              "token-wise model, trained adversary); that is for classifiers "
              "only."
            : "Not tested: models trained again (uniform weights, other seeds, "
              "token-wise model, trained adversary); give --train FILE.");
    return;
  }
  lines.emplace_back(join("Uniform weights: trained again, ", points(s.again),
                          " are right with attention and ", points(s.uniform),
                          " with the same weight for every token."));
  lines.emplace_back(
      join("Other seeds: their weights diverge from this model's by ",
           number(s.seed_js),
           " on average; an adversary must exceed that to be "
           "surprising (its mean is ",
           number(s.adversary_js), ")."));
  lines.emplace_back(join(
      "Token-wise model: ", points(s.tokens_uniform), " right with uniform, ",
      points(s.tokens_learned), " with learned, ", points(s.tokens_frozen),
      " with this model's weights",
      s.tokens_adversary < 0
          ? std::string()
          : join(", ", points(s.tokens_adversary), " with the adversary's"),
      "."));
  for (size_t i = 0; i < s.lambdas.size(); ++i) {
    lines.emplace_back(join("Trained adversary, lambda ", s.lambdas[i],
                            ": output moves by ", number(s.trained_distance[i]),
                            ", weights diverge by ", number(s.trained_js[i]),
                            "."));
  }
}

// The largest divergence of a trained adversary with the same output.
double trained_divergence(const Summary& s) {
  double most = 0;
  for (size_t i = 0; i < s.lambdas.size(); ++i) {
    if (s.trained_distance[i] <= s.threshold) {
      most = std::max(most, s.trained_js[i]);
    }
  }
  return most;
}

// Whether a model that was trained to look elsewhere, and quite so, says the
// same.
bool is_manipulable(const Summary& s) {
  return s.retrained() &&
         trained_divergence(s) >= std::max(s.seed_js, kFarWeights);
}

void add_allowed(const Summary& s, std::vector<std::string>& allowed) {
  if (verdict_of(s) != Verdict::kNot) {
    allowed.emplace_back(
        agree(s) && !are_few(s)
            ? "The tokens with large weights are those that move the output "
              "most."
            : "Tokens with large weights tend to be those that move the "
              "output.");
  }
  if (!is_indifferent(s)) {
    allowed.emplace_back(
        "Where the weights lie matters: others change the "
        "output.");
  }
  if (s.tokenwise) {
    allowed.emplace_back(
        "A weight belongs to its token alone: the encoder looks "
        "at each token by itself.");
  }
  if (s.retrained() && s.tokens_frozen >= s.tokens_uniform + kPoint) {
    allowed.emplace_back(
        "The weights carry the importance of tokens: they help a "
        "model that knows no context.");
  }
  if (s.retrained() && !s.lambdas.empty() &&
      trained_divergence(s) < std::max(s.seed_js, 0.1)) {
    allowed.emplace_back(
        "A model that is trained to look elsewhere gives other "
        "outputs: the weights are hard to manipulate.");
  }
}

void add_not_allowed(const Summary& s, std::vector<std::string>& denied) {
  if (verdict_of(s) == Verdict::kNot) {
    denied.emplace_back(
        "These tokens made the output: the weights do not say "
        "which ones do.");
  }
  if (is_replaceable(s)) {
    denied.emplace_back(
        "These weights are the only ones that give this output: "
        "quite different ones do, too.");
  }
  if (is_indifferent(s)) {
    denied.emplace_back(
        "The output follows from where the weights lie: for most "
        "it stays when they are shuffled.");
  }
  if (is_needless(s)) {
    denied.emplace_back(
        "Attention is needed here: uniform weights do about as "
        "well, so the task says little about it.");
  }
  if (is_manipulable(s)) {
    denied.emplace_back(
        "A model must look there to say this: one that was trained to look "
        "elsewhere says the same.");
  }
  if (!s.tokenwise) {
    denied.emplace_back(
        "A weight is that of a word: the encoder mixes context, "
        "so a state knows its neighbours.");
  }
  if (are_few(s)) {
    denied.emplace_back(join("More than a tendency: ", s.texts,
                             s.texts == 1 ? " text is" : " texts are",
                             " too few; test with ", kEnoughTexts,
                             " at least."));
  }
  denied.emplace_back(
      "Anything about other data or other models: the numbers are "
      "of this model on these texts.");
}

}  // namespace

std::string texts_name(const FaithfulnessSummary& s) {
  return join(s.texts, s.texts == 1 ? " text of " : " texts of ", s.data);
}

Verdict verdict_of(const FaithfulnessSummary& s) {
  if (!agree_somewhat(s)) return Verdict::kNot;
  const int doubts = is_replaceable(s) + is_indifferent(s) + is_manipulable(s);
  const bool sure = doubts == 0 && !are_few(s);
  if (agree(s)) return sure ? Verdict::kSupported : Verdict::kPartly;
  // A task that needs no attention makes fair agreement worth less.
  return doubts + is_needless(s) >= 2 ? Verdict::kNot : Verdict::kPartly;
}

std::string verdict_text(const FaithfulnessSummary& s) {
  switch (verdict_of(s)) {
    case Verdict::kSupported:
      return "On these texts the weights may be read as an explanation.";
    case Verdict::kPartly:
      return "On these texts the weights explain the output in part only.";
    case Verdict::kNot:
      return "On these texts the weights do not explain the output.";
  }
  return "";
}

std::vector<std::string> findings(const FaithfulnessSummary& s) {
  std::vector<std::string> lines;
  add_agreements(s, lines);
  add_changes(s, lines);
  add_retraining(s, lines);
  return lines;
}

Claims claims_of(const FaithfulnessSummary& s) {
  Claims claims;
  add_allowed(s, claims.allowed);
  add_not_allowed(s, claims.not_allowed);
  return claims;
}

bool is_tested(const FaithfulnessSummary& s, const ShownWeights& shown) {
  return s.layer == shown.layer && (s.head == shown.head || shown.heads == 1);
}

std::string map_caution(const std::optional<FaithfulnessSummary>& summary,
                        const ShownWeights& shown) {
  if (!summary) return kUntestedCaution;
  const FaithfulnessSummary& s = *summary;
  if (!is_tested(s, shown)) {
    return join(
        "A weight is not by itself an explanation. These weights were "
        "not tested; those of ",
        s.layer,
        s.head < 0 ? ", heads averaged," : join(", head ", s.head, ","),
        " were.");
  }
  const Verdict verdict = verdict_of(s);
  const char* result = verdict == Verdict::kSupported
                           ? "they may be read as an explanation there"
                       : verdict == Verdict::kPartly
                           ? "they explain the output in part only"
                           : "they do not explain the output";
  return join("A weight is not by itself an explanation. Tested on ",
              texts_name(s), ": ", result, " (tau with gradients ",
              number(s.gradient.tau), ", with leaving out ",
              number(s.erasure.tau),
              "; other weights with the same output for ",
              percent(s.adversary_far), ").");
}

}  // namespace fovea
