// What clients of LibreTranslate ask for.
#include <algorithm>
#include <charconv>
#include <set>

#include "fovea/base/check.h"
#include "fovea/serve/detect_language.h"
#include "fovea/serve/form.h"
#include "fovea/serve/http_error.h"
#include "fovea/serve/routes.h"

namespace fovea {
namespace {

const char* const kAuto = "auto";

// Of all models, those that are known, in their order.
std::vector<std::string> source_languages(const std::vector<ModelRef>& models) {
  std::vector<std::string> all;
  for (const ModelRef& model : models) {
    const std::string& code = model->place.source;
    if (!code.empty() && std::ranges::find(all, code) == all.end()) {
      all.push_back(code);
    }
  }
  return all;
}

// A detector knows the languages of both sides.
std::vector<std::string> all_languages(const std::vector<ModelRef>& models) {
  std::vector<std::string> all = source_languages(models);
  for (const ModelRef& model : models) {
    const std::string& code = model->place.target;
    if (!code.empty() && std::ranges::find(all, code) == all.end()) {
      all.push_back(code);
    }
  }
  return all;
}

// A form has texts where JSON has numbers.
int whole_number(const Json& form, const char* name, int most) {
  if (!form.contains(name)) return 0;
  const Json& given = form[name];
  int64_t value = -1;
  if (given.is_number_integer()) value = given.get<int64_t>();
  if (given.is_string()) {
    const std::string text = given;
    std::from_chars(text.data(), text.data() + text.size(), value);
  }
  check_request(value >= 0 && value <= most, 400, "\"", name,
                "\" must be a whole number from 0 to ", most);
  return static_cast<int>(value);
}

std::string text_field(const Json& form, const char* name) {
  check_request(form.contains(name), 400, "\"", name, "\" is missing");
  check_request(form[name].is_string(), 400, "\"", name, "\" must be a text");
  return form[name];
}

std::vector<std::string> read_q(const Json& form, const CallLimits& limits) {
  check_request(form.contains("q"), 400, "\"q\" is missing");
  const Json& q = form["q"];
  std::vector<std::string> texts;
  for (const Json& one : q.is_array() ? q : Json::array({q})) {
    check_request(one.is_string(), 400,
                  "\"q\" must be a text or a list of "
                  "texts");
    texts.push_back(one);
    check_text(texts.back(), "q", limits);
  }
  return texts;
}

// Languages that a model does not name fit all.
bool fits(const std::string& wanted, const std::string& language) {
  return language.empty() || wanted == language;
}

struct LibreCall {
  std::vector<std::string> texts;
  bool is_list = false;
  std::vector<size_t> lines;  // of each text
  int alternatives = 0;
  LanguageGuess detected;  // empty unless it was asked for
};

ModelRef choose_model(const Services& services, const Json& form,
                      LibreCall& call) {
  const std::vector<ModelRef> models = services.models.all();
  services.models.find("");  // or they are being loaded
  std::string source = text_field(form, "source");
  const std::string target = text_field(form, "target");
  if (source == kAuto) {
    std::string all;
    for (const std::string& text : call.texts) all += text + "\n";
    const auto guesses = detect_language(all, source_languages(models));
    if (!guesses.empty()) call.detected = guesses.front();
    source = call.detected.code;
  }
  for (const ModelRef& model : models) {
    if (fits(source, model->place.source) &&
        fits(target, model->place.target)) {
      return model;
    }
  }
  throw HttpError(400, join("no model translates from ", source, " to ", target,
                            "; see /languages"));
}

// Line by line, so that lines stay lines.
TranslateCall lines_call(LibreCall& call) {
  TranslateCall lines;
  for (const std::string& text : call.texts) {
    size_t begin = 0, count = 0;
    for (;;) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      lines.requests.push_back(
          {text.substr(begin, end - begin), "", lines.requests.size()});
      ++count;
      if (end == text.size()) break;
      begin = end + 1;
    }
    call.lines.push_back(count);
  }
  SearchConfig& search = lines.options.all.search;
  search.n_best = 1 + call.alternatives;
  search.beam_size = std::max(search.beam_size, search.n_best);
  return lines;
}

// The text whose lines are those of this rank, or the best where there are not
// so many.
std::string joined(std::span<const std::vector<Translation>> lines,
                   size_t rank) {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += '\n';
    text += lines[i][std::min(rank, lines[i].size() - 1)].text;
  }
  return text;
}

Json libre_answer(const LibreCall& call, const TranslateEvents::Found& found) {
  Json texts = Json::array(), others = Json::array(), guesses = Json::array();
  size_t first = 0;
  for (size_t count : call.lines) {
    const auto lines = std::span(found).subspan(first, count);
    first += count;
    texts.push_back(joined(lines, 0));
    Json more = Json::array();
    for (int rank = 1; rank <= call.alternatives; ++rank) {
      more.push_back(joined(lines, rank));
    }
    others.push_back(more);
    guesses.push_back({{"language", call.detected.code},
                       {"confidence", call.detected.confidence}});
  }
  const auto answer = [&](Json& all) {
    return call.is_list ? std::move(all) : std::move(all.front());
  };
  Json object = {{"translatedText", answer(texts)}};
  if (!call.detected.code.empty()) object["detectedLanguage"] = answer(guesses);
  if (call.alternatives > 0) object["alternatives"] = answer(others);
  return object;
}

}  // namespace

void answer_libre_translate(const Services& services, const CallRef& call) {
  const Json form = read_form(call->request());
  LibreCall wanted;
  wanted.texts = read_q(form, services.limits);
  wanted.is_list = form["q"].is_array();
  check_request(!wanted.texts.empty(), 400, "\"q\" has no text");
  check_request(!form.contains("format") || form["format"] == "text", 400,
                "\"format\" must be text; HTML is not understood");
  wanted.alternatives =
      whole_number(form, "alternatives", services.limits.max_n_best - 1);
  const ModelRef model = choose_model(services, form, wanted);
  const TranslateCall lines = lines_call(wanted);
  queue_translation(Call::order(call, services), model, lines,
                    {.done = [call, wanted, &metrics = services.metrics](
                                 const TranslateEvents::Found& found,
                                 const TokenAmounts& amounts) {
                      metrics.translated(amounts.sentences, amounts.source,
                                         amounts.target);
                      call->send(libre_answer(wanted, found));
                    }});
}

void answer_libre_languages(const Services& services, const CallRef& call) {
  const std::vector<ModelRef> models = services.models.all();
  Json all = Json::array();
  for (const std::string& code : source_languages(models)) {
    std::set<std::string> targets;
    for (const ModelRef& model : models) {
      if (model->place.source == code) targets.insert(model->place.target);
    }
    all.push_back(
        {{"code", code}, {"name", language_name(code)}, {"targets", targets}});
  }
  for (const std::string& code : all_languages(models)) {
    const bool listed = std::ranges::any_of(
        all, [&](const Json& one) { return one["code"] == code; });
    if (listed) continue;
    all.push_back({{"code", code},
                   {"name", language_name(code)},
                   {"targets", Json::array()}});
  }
  call->send(all);
}

void answer_libre_detect(const Services& services, const CallRef& call) {
  const std::vector<std::string> texts =
      read_q(read_form(call->request()), services.limits);
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  Json answer = Json::array();
  for (const LanguageGuess& guess :
       detect_language(all, all_languages(services.models.all()))) {
    answer.push_back(
        {{"language", guess.code},
         {"confidence", rounded(static_cast<float>(guess.confidence))}});
  }
  call->send(answer);
}

void answer_libre_settings(const Services& services, const CallRef& call) {
  const std::vector<ModelRef> models = services.models.all();
  const std::string target = models.empty() ? "" : models.front()->place.target;
  call->send(Json{
      {"apiKeys", services.has_keys},
      {"keyRequired", services.has_keys},
      {"charLimit", services.limits.max_text},
      {"frontendTimeout", 500},
      {"suggestions", false},
      {"filesTranslation", false},
      {"supportedFilesFormat", Json::array()},
      {"language",
       {{"source", {{"code", kAuto}, {"name", "Auto Detect"}}},
        {"target", {{"code", target}, {"name", language_name(target)}}}}}});
}

}  // namespace fovea
