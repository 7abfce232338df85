#pragma once

#include <string>
#include <vector>

#include "fovea/decode/translator.h"
#include "fovea/serve/json_fields.h"
#include "fovea/serve/translation_json.h"

namespace fovea {

// What requests may ask for at most.
struct CallLimits {
  int max_text = 20000;
  int max_n_best = 10;
  int max_weights = 1 << 20;

  void fields(auto&& field) {
    field("max-text", max_text, "characters of a text, at most");
    field("max-n-best", max_n_best, "translations of a text, at most");
    field("max-weights", max_weights, "numbers of alignments, at most");
  }
};

// What a request for translations says.
struct TranslateCall {
  std::string model;
  std::vector<TranslateRequest> requests;
  TranslateOptions options;
  TranslationStyle style;
  bool split = true;  // sentence by sentence
  bool stream = false;
};

// An HttpError names the field that is wrong.
TranslateCall read_translate_call(const Json& object, const CallLimits& limits);

// So many texts or pairs of the field of this name are not too many.
void check_number(size_t count, const std::string& name);

// A text of a request by the name of its field: neither empty of meaning nor
// larger than allowed.
void check_text(const std::string& text, const std::string& name,
                const CallLimits& limits);

// So many weights of alignments in one request are not too many.
void check_weights(int64_t count, const CallLimits& limits);

// Pairs of texts whose second is given.
struct PairsCall {
  std::string model;
  std::vector<ScoreRequest> pairs;
  SearchAllConfig config;
  TranslationStyle style;
};
PairsCall read_score_call(const Json& object, const CallLimits& limits);
PairsCall read_align_call(const Json& object, const CallLimits& limits);

// Texts to be cut into tokens.
struct TokenizeCall {
  std::string model;
  std::vector<std::string> texts;
  bool of_source = true;
};
TokenizeCall read_tokenize_call(const Json& object, const CallLimits& limits);

// A text whose translation is explained.
struct ExplainCall {
  std::string model, source, target;
  bool has_target = false, vectors = false;
  int beam_size = SearchConfig().beam_size;
};
ExplainCall read_explain_call(const Json& object, const CallLimits& limits);

}  // namespace fovea
