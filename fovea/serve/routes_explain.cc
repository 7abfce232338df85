// What a model looks at while it translates a text.
#include "fovea/base/check.h"
#include "fovea/base/words.h"
#include "fovea/explain/explain_text.h"
#include "fovea/serve/http_error.h"
#include "fovea/serve/routes.h"

namespace fovea {
namespace {

constexpr int kMostTokens = 256;  // of a side: maps grow with its square

struct ExplainCall {
  std::string model, source, target;
  bool has_target = false, vectors = false;
  int beam_size = SearchConfig().beam_size;
};

ExplainCall read_explain_call(const Json& object, const CallLimits& limits) {
  JsonFields fields(object);
  ExplainCall call;
  fields.read("model", call.model);
  check_request(fields.read("source", call.source), 400,
                "\"source\" is missing");
  call.has_target = fields.read("target", call.target);
  fields.read("vectors", call.vectors);
  fields.read("beam_size", call.beam_size, {1, 32});
  fields.check_all_known();
  check_text(call.source, "source", limits);
  check_text(call.target, "target", limits);
  check_request(!is_blank(call.source), 422, "\"source\" must not be blank");
  check_request(!call.has_target || !is_blank(call.target), 422,
                "\"target\" must not be blank");
  return call;
}

void check_length(const Tokenizer& tokenizer, const std::string& text,
                  const char* name) {
  const size_t count = tokenizer.encode(text).size();
  check_request(count <= kMostTokens, 413, "\"", name, "\" has ", count,
                " tokens, but ", kMostTokens, " are the most");
}

}  // namespace

void answer_explain(const Services& services, const CallRef& call) {
  const ExplainCall wanted =
      read_explain_call(parse_object(call->request().body), services.limits);
  const ModelRef model = services.models.find(wanted.model);
  const Translator& translator = model->translator;
  check_length(translator.source(), wanted.source, "source");
  check_length(translator.target(), wanted.target, "target");
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
    check_request(!is_blank(explanation.target.text), 422,
                  "the translation is empty: there is nothing to explain");
    call->send(HttpResponse{.body = explanation_json(explanation) + "\n"});
  });
}

}  // namespace fovea
