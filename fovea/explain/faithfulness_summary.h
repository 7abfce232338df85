#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/explain/faithfulness.h"
#include "fovea/io/file_source.h"

namespace fovea {

// How weights agree with scores that were got in another way, over all cases.
struct AgreementSummary {
  double tau = 0, deviation = 0;  // mean and deviation of tau-b
  double significant = 0;         // share of cases with p < .05
  double same_top = 0;            // share whose first token is the same
  int64_t cases = 0;              // for which tau is defined

  void fields(auto&& field) {
    field("tau", tau, "mean of Kendall's tau-b");
    field("deviation", deviation, "of tau");
    field("significant", significant, "share of cases with p < .05");
    field("same-top", same_top, "share of cases with the same first token");
    field("cases", cases, "for which tau is defined");
  }
};

// What was found on one set of texts: faithfulness.json of a model's folder.
struct FaithfulnessSummary {
  std::string data, layer;
  int head = -1;
  std::string weights_hash = {};  // of the model that was tested
  bool is_sequence = false;
  bool tokenwise = false;  // a state depends on its own token alone
  int64_t texts = 0, cases = 0;
  double accuracy = 0;
  AgreementSummary gradient, states, erasure, input, integrated, reference;
  double integrated_error = 0;
  double threshold = 0;
  double permuted = 0, permuted_same = 0;
  double adversary_js = 0, adversary_median = 0, adversary_far = 0,
         adversary_none = 0;
  double evidence = -1;
  // Of retraining (SPEC E9); -1: not done.
  double again = -1, uniform = -1, seed_js = -1;
  double tokens_uniform = -1, tokens_learned = -1, tokens_frozen = -1,
         tokens_adversary = -1;
  std::vector<double> lambdas = {}, trained_distance = {}, trained_js = {};
  // What the numbers mean, for pages: see faithfulness_words.h, whose words
  // faithfulness_json() writes.
  std::string verdict = {};
  std::vector<std::string> findings = {}, allowed = {}, not_allowed = {};

  bool retrained() const { return again >= 0; }

  void fields(auto&& field) {
    field("data", data, "texts that were tested with");
    field("layer", layer, "whose weights were tested");
    field("head", head, "-1: the mean over all");
    field("weights-hash", weights_hash, "of the model that was tested");
    field("sequence", is_sequence, "a case is a word, not a text");
    field("tokenwise", tokenwise, "a state depends on its token alone");
    field("texts", texts, "number of texts");
    field("cases", cases, "number of outputs");
    field("accuracy", accuracy, "percent of outputs that are right");
    field("gradient", gradient, "");
    field("states", states, "");
    field("erasure", erasure, "");
    field("input", input, "");
    field("integrated", integrated, "");
    field("reference", reference, "");
    field("integrated-error", integrated_error, "largest");
    field("threshold", threshold, "outputs nearer than this are the same");
    field("permuted", permuted, "median change of the output");
    field("permuted-same", permuted_same, "share with the same output");
    field("adversary-js", adversary_js, "mean of the largest divergence");
    field("adversary-median", adversary_median, "median of it");
    field("adversary-far", adversary_far, "share with 0.5 at least");
    field("adversary-none", adversary_none, "share without any");
    field("evidence", evidence, "share whose first token is the evidence");
    field("again", again, "percent right, trained again");
    field("uniform", uniform, "the same with uniform weights");
    field("seed-js", seed_js, "mean divergence of other seeds' weights");
    field("tokens-uniform", tokens_uniform, "token-wise, uniform weights");
    field("tokens-learned", tokens_learned, "token-wise, own weights");
    field("tokens-frozen", tokens_frozen, "token-wise, this model's weights");
    field("tokens-adversary", tokens_adversary, "token-wise, adversary's");
    field("lambdas", lambdas, "of trained adversaries");
    field("trained-distance", trained_distance, "of their outputs");
    field("trained-js", trained_js, "of their weights");
    field("verdict", verdict, "supported, partly or not");
    field("findings", findings, "a sentence for each test");
    field("allowed", allowed, "what one may say");
    field("not-allowed", not_allowed, "what one may not say");
  }
};

// Divergence from which on weights are called quite different; at most it can
// be ln 2.
constexpr double kFarWeights = 0.5;

FaithfulnessSummary summarise(std::span<const CaseResult> cases,
                              double threshold);
AgreementSummary summarise(std::span<const CaseResult> cases,
                           Agreement CaseResult::*of);

// Counts of tau in ten parts of -1..1.
std::array<int64_t, 10> tau_histogram(std::span<const CaseResult> cases,
                                      Agreement CaseResult::*of);

// Which of so many parts of 0..1 the largest weight of a case is in.
int weight_bin(const CaseResult& result, int bins);

constexpr const char* kFaithfulnessFile = "faithfulness.json";

// Of the file with a model's weights.
std::string weights_hash(const FileSource& files);

// As JSON, and what a model's folder has, or nothing. A file that is not right
// is a data error; one of other weights than the folder's counts as none, for
// the model was trained again since.
std::string faithfulness_json(FaithfulnessSummary summary);
std::optional<FaithfulnessSummary> load_faithfulness(const FileSource& files);

}  // namespace fovea
