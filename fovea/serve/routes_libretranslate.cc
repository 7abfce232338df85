// What clients of LibreTranslate ask for.
#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "fovea/base/check.h"
#include "fovea/serve/detect_language.h"
#include "fovea/serve/form.h"
#include "fovea/serve/html_text.h"
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
  const Json given = form.value(name, Json());
  if (given.is_null() || given == "") return 0;
  int64_t value = -1;
  if (given.is_number_integer()) value = given.get<int64_t>();
  if (given.is_string()) {
    const std::string text = given;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (rest != end || error != std::errc()) value = -1;
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
  if (q.is_array()) check_number(q.size(), "q");
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

// A text while it is translated: line by line, so that lines stay lines, or
// block by block.
struct LibreText {
  std::string text;
  std::optional<HtmlText> html;
  size_t requests = 0;  // lines or blocks
};

struct LibreCall {
  std::vector<LibreText> texts;
  bool is_list = false;
  int alternatives = 0;
  LanguageGuess detected;  // empty unless it was asked for
};

bool wants_html(const Json& form) {
  if (!form.contains("format") || form["format"].is_null()) return false;
  const Json& format = form["format"];
  check_request(format == "" || format == "text" || format == "html", 400,
                "\"format\" must be text or html");
  return format == "html";
}

LibreCall read_libre_call(const Json& form, const CallLimits& limits) {
  LibreCall call;
  const bool html = wants_html(form);
  for (std::string& text : read_q(form, limits)) {
    LibreText& one = call.texts.emplace_back();
    if (html) one.html.emplace(text);
    one.text = std::move(text);
  }
  check_request(!call.texts.empty(), 400, "\"q\" has no text");
  call.is_list = form["q"].is_array();
  call.alternatives = whole_number(form, "alternatives", limits.max_n_best - 1);
  return call;
}

// What a text says, without its markup.
std::string plain_text(const LibreText& text) {
  if (!text.html) return text.text;
  std::string all;
  for (const std::string& block : text.html->texts()) all += block + "\n";
  return all;
}

LanguageGuess detect(const LibreCall& call,
                     const std::vector<std::string>& languages) {
  std::string all;
  for (const LibreText& text : call.texts) all += plain_text(text) + "\n";
  const auto guesses = detect_language(all, languages);
  return guesses.empty() ? LanguageGuess() : guesses.front();
}

// Null if the texts are in the language that is asked for.
ModelRef choose_model(const Services& services, const Json& form,
                      LibreCall& call) {
  const std::vector<ModelRef> models = services.models.all();
  services.models.find("");  // or they are being loaded
  std::string source = text_field(form, "source");
  const std::string target = text_field(form, "target");
  const std::vector<std::string> languages = all_languages(models);
  if (source == kAuto) {
    call.detected = detect(call, languages);
    source = call.detected.code;
  }
  const bool known = std::ranges::find(languages, source) != languages.end();
  if (known && source == target) return nullptr;
  for (const ModelRef& model : models) {
    if (fits(source, model->place.source) &&
        fits(target, model->place.target)) {
      return model;
    }
  }
  throw HttpError(400, join("no model translates from ", source, " to ", target,
                            "; see /languages"));
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TranslateCall requests_of(LibreCall& call) {
  TranslateCall all;
  for (LibreText& text : call.texts) {
    for (std::string& one :
         text.html ? text.html->texts() : lines_of(text.text)) {
      all.requests.push_back({std::move(one), "", all.requests.size()});
      ++text.requests;
    }
  }
  SearchConfig& search = all.options.all.search;
  search.n_best = 1 + call.alternatives;
  search.beam_size = std::max(search.beam_size, search.n_best);
  return all;
}

// The text that is made of translations of this rank, or of the best where
// there are not so many.
std::string joined(const LibreText& text,
                   std::span<const std::vector<Translation>> found,
                   size_t rank) {
  std::vector<const Translation*> chosen;
  for (const std::vector<Translation>& one : found) {
    chosen.push_back(&one[std::min(rank, one.size() - 1)]);
  }
  if (text.html) return text.html->with(chosen);
  std::string all;
  for (const Translation* line : chosen) {
    all += (line == chosen.front() ? "" : "\n") + line->text;
  }
  return all;
}

// What a text becomes: its translation, then alternatives.
using LibreTexts = std::vector<std::vector<std::string>>;

LibreTexts all_texts(const LibreCall& call,
                     const TranslateEvents::Found& found) {
  LibreTexts all;
  size_t first = 0;
  for (const LibreText& text : call.texts) {
    const auto own = std::span(found).subspan(first, text.requests);
    first += text.requests;
    std::vector<std::string>& ranks = all.emplace_back();
    for (int rank = 0; rank <= call.alternatives; ++rank) {
      ranks.push_back(joined(text, own, rank));
    }
  }
  return all;
}

LibreTexts unchanged(const LibreCall& call) {
  LibreTexts all;
  for (const LibreText& text : call.texts) all.push_back({text.text});
  return all;
}

Json libre_answer(const LibreCall& call, const LibreTexts& all) {
  Json texts = Json::array(), others = Json::array(), guesses = Json::array();
  for (const std::vector<std::string>& ranks : all) {
    texts.push_back(ranks.front());
    others.push_back(std::vector(ranks.begin() + 1, ranks.end()));
    guesses.push_back({{"language", call.detected.code},
                       {"confidence", rounded(static_cast<float>(
                                          call.detected.confidence))}});
  }
  const auto answer = [&](Json& list) {
    return call.is_list ? std::move(list) : std::move(list.front());
  };
  Json object = {{"translatedText", answer(texts)}};
  if (!call.detected.code.empty()) object["detectedLanguage"] = answer(guesses);
  if (call.alternatives > 0) object["alternatives"] = answer(others);
  return object;
}

}  // namespace

void answer_libre_translate(const Services& services, const CallRef& call) {
  const Json form = read_form(call->request());
  LibreCall wanted = read_libre_call(form, services.limits);
  const ModelRef model = choose_model(services, form, wanted);
  if (model == nullptr) {
    return call->send(libre_answer(wanted, unchanged(wanted)));
  }
  TranslateCall requests = requests_of(wanted);
  requests.options.all.search.want_weights =
      wanted.texts.front().html && model->translator.has_attention();
  queue_translation(
      Call::order(call, services), model, requests,
      {.done = [call, wanted, &metrics = services.metrics](
                   const TranslateEvents::Found& found,
                   const TokenAmounts& amounts) {
        metrics.translated(amounts.sentences, amounts.source, amounts.target);
        call->send(libre_answer(wanted, all_texts(wanted, found)));
      }});
}

void answer_libre_languages(const Services& services, const CallRef& call) {
  services.models.find("");  // or they are being loaded
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
  services.models.find("");  // or they are being loaded
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
