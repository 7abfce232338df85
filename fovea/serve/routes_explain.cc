// What a model looks at while it translates a text.
#include "fovea/base/check.h"
#include "fovea/base/words.h"
#include "fovea/decode/hypothesis.h"
#include "fovea/explain/explain_text.h"
#include "fovea/serve/http_error.h"
#include "fovea/serve/routes.h"

namespace fovea {
namespace {

constexpr int kMostTokens = 256;  // of a side: maps grow with its square

// The length.
int checked_length(const Tokenizer& tokenizer, const std::string& text,
                   const char* name) {
  const size_t count = tokenizer.encode(text).size();
  check_request(count <= kMostTokens, 413, "\"", name, "\" has ", count,
                " tokens, but ", kMostTokens, " are the most");
  return static_cast<int>(count);
}

}  // namespace

void answer_explain(const Services& services, const CallRef& call) {
  const ExplainCall wanted =
      read_explain_call(parse_object(call->request().body), services.limits);
  const ModelRef model = services.models.find(wanted.model);
  const Translator& translator = model->translator;
  const int length =
      checked_length(translator.source(), wanted.source, "source");
  checked_length(translator.target(), wanted.target, "target");
  if (!wanted.has_target) {  // it is searched for
    services.batcher.check_tokens(
        search_tokens(wanted.beam_size, length + LengthLimit{}.of(length)));
  }
  queue_function(Call::order(call, services), [call, wanted, model] {
    const Explanation explanation =
        explain_text(model->translator,
                     {.source = wanted.source,
                      .target = wanted.has_target ? std::optional(wanted.target)
                                                  : std::nullopt,
                      .beam_size = wanted.beam_size},
                     {.name = model->place.name,
                      .vectors = wanted.vectors,
                      .faithfulness = model->faithfulness});
    if (*call->cancelled()) return;
    check_request(!is_blank(explanation.target.text), 422,
                  "the translation is empty: there is nothing to explain");
    call->send(HttpResponse{.body = explanation_json(explanation) + "\n"});
  });
}

}  // namespace fovea
