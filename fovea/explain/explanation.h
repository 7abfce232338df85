#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/decode/translation.h"
#include "fovea/explain/faithfulness_summary.h"
#include "fovea/explain/head_statistics.h"
#include "fovea/models/classifier_folder.h"
#include "fovea/models/folder.h"

// All that the views of one run of a model show (SPEC E): they read attention
// records and nothing else, so they work for every model.
namespace fovea {

// Which tokens stand at the rows or columns of a layer's weights.
enum class Tokens {
  kSource,  // with the end mark
  kTarget,  // that are written, with the end mark
  kRead,    // that a decoder reads to write them: the begin mark first
  kNone,    // one row for the whole text: a pool
};
constexpr EnumName<Tokens> kTokens[] = {{Tokens::kSource, "source"},
                                        {Tokens::kTarget, "target"},
                                        {Tokens::kRead, "read"},
                                        {Tokens::kNone, "none"}};
constexpr auto& enum_names(Tokens) { return kTokens; }

// What dot products are taken of: see Record::HeadVectors. By head.
struct ExplainedVectors {
  std::vector<Tensor> query, key, value;
  float scale = 1;
};

// One attention of the model.
struct ExplainedLayer {
  std::string name, kind, score;  // as in Record::About
  Tokens queries = Tokens::kNone, keys = Tokens::kSource;
  std::vector<Tensor> weights = {};  // of each head, [queries, keys]
  std::vector<bool> visible = {};    // [queries * keys]
  std::optional<ExplainedVectors> vectors = {};
  std::vector<HeadStatistics> statistics = {};  // of each head

  // One head, or with -1 the mean over all. A usage error if there is no such.
  Tensor shown(int head) const;
};

struct ExplainedText {
  std::string text = {};
  std::vector<std::string> tokens = {};  // "▁cat", the end mark last
  std::vector<int> words = {};           // of each token; -1: of none
  std::vector<int> sentences = {};       // of each token
};

struct Likely {
  std::string name;  // a token or a label
  float probability;
};

// What of each input is in each position of the top layer (SPEC E7).
struct ExplainedRollout {
  std::string name;  // "encoder"
  Tokens tokens = Tokens::kSource;
  Tensor rollout, flow = {};  // flow is empty where the text is too long...
  std::string note = {};      // ...which this says
};

// Gates in front of an attention (SPEC E11).
struct ExplainedGates {
  std::string layer;
  std::vector<float> probability;  // of each source token
  // That the attention behind gives each token: the mean over heads and
  // queries. Empty if there is no such.
  std::vector<float> weight = {};
};

struct Explanation {
  std::string model = {}, task = {};
  int64_t parameters = 0;
  std::optional<FaithfulnessSummary> faithfulness = {};
  ExplainedText source, target = {};          // a classifier has no target
  std::vector<std::string> read = {};         // see Tokens::kRead
  std::vector<float> log_probabilities = {};  // of target tokens
  std::vector<std::vector<Likely>> alternatives = {};  // the likeliest of each
  std::vector<Likely> labels = {};                     // of a classifier
  int from_word = -1;  // of the source, whose weights a minimal pair compares;
                       // -1: the one that differs
  std::string alignment_layer = {};  // empty: no attention over the source
  Tensor alignment = {};             // [target, source], the mean over heads
  std::vector<ExplainedLayer> layers = {};  // the lowest first
  std::vector<ExplainedRollout> rollouts = {};
  std::vector<ExplainedGates> gates = {};
  // The first numbers of the embeddings and of the top states of each token,
  // [tokens, few].
  Tensor embedding_states = {}, encoder_states = {}, decoder_states = {};

  // As people read them, see token_text.h.
  std::vector<std::string> labels_of(Tokens tokens) const;
};

struct ExplainOptions {
  std::string name = {};  // of the model
  bool vectors = false;   // of queries, keys and values
  int alternatives = 5;
  std::optional<FaithfulnessSummary> faithfulness = {};
};

// The model writes a given translation of one part: one of Translator::score or
// of translate() that was not split. A usage error if the source is blank.
Explanation explain_translation(const TranslationModel& model,
                                std::string_view source,
                                const Translation& translation,
                                const ExplainOptions& options = {});
// The text must not be blank.
Explanation explain_label(const ClassifierModel& model, std::string_view text,
                          const ExplainOptions& options = {});

// The document that pages and programs read, as JSON in one line:
// docs/seeing.md describes it.
std::string explanation_json(const Explanation& explanation);

}  // namespace fovea
