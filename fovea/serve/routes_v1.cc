// Translations, scores, alignments and tokens.
#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/serve/http_error.h"
#include "fovea/serve/routes.h"
#include "fovea/serve/token_stream.h"

namespace fovea {
namespace {

Tokenizers tokenizers_of(const ServedModel& model) {
  return {model.translator.source(), model.translator.target()};
}

// Rows of an answer reach over the source of all parts.
int64_t count_weights(const Translation& t) {
  size_t rows = 0, columns = 0;
  for (const TranslatedPart& part : t.parts) {
    rows += part.weights.size() / part.keys();
    columns += part.keys();
  }
  return static_cast<int64_t>(rows * columns);
}

void check_size(const TranslateEvents::Found& found, const CallLimits& limits) {
  int64_t weights = 0;
  for (const std::vector<Translation>& translations : found) {
    for (const Translation& t : translations) weights += count_weights(t);
  }
  check_weights(weights, limits);
}

Json answer_of(const ServedModel& model, const TranslateCall& call,
               const TranslateEvents::Found& found) {
  Json all = Json::array();
  for (size_t i = 0; i < found.size(); ++i) {
    all.push_back(translations_json(call.style, call.requests[i].text, found[i],
                                    tokenizers_of(model)));
  }
  return {{"model", model.place.name}, {"translations", std::move(all)}};
}

// Scores of pairs with their details, or their alignments alone.
void answer_pairs(const Services& services, const CallRef& call,
                  const PairsCall& pairs, bool scores) {
  const ModelRef model = services.models.find(pairs.model);
  check_request(
      model->translator.has_attention() || !pairs.config.search.want_weights,
      422, "the model '", model->place.name,
      "' has no attention, so it cannot align words");
  const auto done = [=](const std::vector<Translation>& scored) {
    Json all = Json::array();
    for (size_t i = 0; i < scored.size(); ++i) {
      const Translation& t = scored[i];
      Json object = Json::object();
      add_details(object, pairs.style, pairs.pairs[i].source, t,
                  tokenizers_of(*model));
      if (!scores) {
        all.push_back(std::move(object["alignment"]));
        continue;
      }
      object["log_probability"] = rounded(t.log_probability);
      object["score"] = rounded(t.score);
      object["tokens"] = t.parts.front().log_probabilities.size();
      all.push_back(std::move(object));
    }
    call->send(Json{{"model", model->place.name},
                    {scores ? "scores" : "alignments", std::move(all)}});
  };
  queue_scores(Call::order(call, services), model, pairs, done);
}

}  // namespace

void answer_translate(const Services& services, const CallRef& call) {
  TranslateCall wanted =
      read_translate_call(parse_object(call->request().body), services.limits);
  const ModelRef model = services.models.find(wanted.model);
  SearchConfig& search = wanted.options.all.search;
  if (!model->translator.has_attention()) search.want_weights = false;
  check_request(model->translator.has_shortlist() || !wanted.options.shortlist,
                422, "the model '", model->place.name,
                "' has no shortlist: \"shortlist\" must go");
  TranslateEvents events;
  if (wanted.stream) {
    const auto stream = std::make_shared<TokenStream>(call, model);
    events.start = [stream](const TokenText& text) { stream->start(text); };
    events.step = [stream](size_t part, const SearchStep& step) {
      stream->step(part, step);
    };
  }
  events.done = [call, model, wanted, &services](
                    const TranslateEvents::Found& found,
                    const TokenAmounts& amounts) {
    services.metrics.translated(amounts.sentences, amounts.source,
                                amounts.target);
    if (wanted.style.shows_weights()) check_size(found, services.limits);
    const Json answer = answer_of(*model, wanted, found);
    if (!wanted.stream) return call->send(answer);
    call->event("done", answer);
    call->end_events();
  };
  queue_translation(Call::order(call, services), model, wanted,
                    std::move(events));
}

void answer_score(const Services& services, const CallRef& call) {
  answer_pairs(
      services, call,
      read_score_call(parse_object(call->request().body), services.limits),
      true);
}

void answer_align(const Services& services, const CallRef& call) {
  answer_pairs(
      services, call,
      read_align_call(parse_object(call->request().body), services.limits),
      false);
}

void answer_tokenize(const Services& services, const CallRef& call) {
  const TokenizeCall wanted =
      read_tokenize_call(parse_object(call->request().body), services.limits);
  const ModelRef model = services.models.find(wanted.model);
  Portions portions;
  for (const std::string& text : wanted.texts) {
    portions.bytes.push_back(text.size());
  }
  const auto all = std::make_shared<std::vector<Json>>(wanted.texts.size());
  portions.work = [=](size_t begin, size_t end) {
    const Tokenizer& tokenizer = wanted.of_source ? model->translator.source()
                                                  : model->translator.target();
    for (size_t i = begin; i < end; ++i) {
      const std::string& text = wanted.texts[i];
      (*all)[i] = {
          {"tokens", pieces_json(tokenizer, text, tokenizer.pieces(text))}};
    }
  };
  portions.done = [=] {
    call->send(Json{{"model", model->place.name}, {"texts", *all}});
  };
  queue_portions(Call::order(call, services), std::move(portions));
}

}  // namespace fovea
