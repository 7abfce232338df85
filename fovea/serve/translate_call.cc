#include "fovea/serve/translate_call.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/base/words.h"
#include "fovea/serve/http_error.h"

namespace fovea {
namespace {

constexpr int kMostBeam = 32, kMostLength = 1024;
constexpr size_t kMostTexts = 1024, kMostHeads = 1024;
constexpr Limits<int> kHeads = {0, kMostHeads - 1};
constexpr Limits<float> kPenalty = {-10, 10}, kPositive = {0, 10};

int characters(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

// "text", or "texts".
std::vector<std::string> read_texts(JsonFields& fields,
                                    const CallLimits& limits) {
  std::string text;
  std::vector<std::string> texts;
  const bool one = fields.read("text", text),
             many = fields.read("texts", texts);
  check_request(one != many, 400, "give either \"text\" or \"texts\"");
  check_number(texts.size(), "texts");
  if (one) texts = {text};
  for (size_t i = 0; i < texts.size(); ++i) {
    check_text(texts[i], one ? "text" : join("texts[", i, "]"), limits);
  }
  return texts;
}

std::vector<std::string> read_prefixes(JsonFields& fields, size_t count) {
  std::string prefix;
  std::vector<std::string> prefixes;
  const bool one = fields.read("prefix", prefix);
  if (fields.read("prefixes", prefixes)) {
    check_request(!one, 422, "give either \"prefix\" or \"prefixes\"");
    check_request(prefixes.size() == count, 422, "\"prefixes\" has ",
                  prefixes.size(), " texts for ", count, " to translate");
  } else {
    prefixes.assign(count, prefix);
  }
  return prefixes;
}

void read_search(JsonFields& fields, SearchConfig& search,
                 const CallLimits& limits) {
  fields.read("sample", search.sample);
  fields.read("n_best", search.n_best, {1, limits.max_n_best});
  if (!fields.read("beam_size", search.beam_size, {1, kMostBeam})) {
    search.beam_size = std::max(search.beam_size, search.n_best);
  }
  check_request(search.sample || search.n_best <= search.beam_size, 422,
                "\"n_best\" must not be more than \"beam_size\"");
  fields.read("length_penalty", search.length_penalty, kPenalty);
  fields.read("coverage_penalty", search.coverage_penalty, kPositive);
  fields.read("patience", search.patience, kPositive);
  fields.read("beam_threshold", search.beam_threshold, kPositive);
  fields.read("min_length", search.min_length, {0, kMostLength});
  fields.read("max_length", search.max_length, {0, kMostLength});
  check_request(
      search.max_length == 0 || search.min_length <= search.max_length, 422,
      "\"min_length\" must not be more than \"max_length\"");
  fields.read("no_repeat_ngram", search.no_repeat_ngram, {0, kMostLength});
  fields.read("temperature", search.temperature, {0.01f, 100.0f});
  fields.read("top_k", search.top_k, {0, 1 << 20});
  fields.read("top_p", search.top_p, {0.001f, 1.0f});
  fields.read("seed", search.seed, {0, (int64_t{1} << 53) - 1});
  fields.read("heads", search.heads, kHeads);
}

void check_heads(const SearchConfig& search) {
  check_request(search.heads.size() <= kMostHeads, 422, "\"heads\" has ",
                search.heads.size(), " numbers, but ", kMostHeads,
                " are the most");
  check_request(search.heads.empty() || search.want_weights, 422,
                "\"heads\" are those of an \"alignment\", which is not asked "
                "for");
}

void read_style(JsonFields& fields, TranslationStyle& style) {
  style.alignment = alignment_kind(
      fields.choice("alignment", {"", "words", "tokens", "soft"}));
  fields.read("word_scores", style.word_scores);
}

// "source" and "target", or "pairs" of them.
std::vector<ScoreRequest> read_pairs(JsonFields& fields,
                                     const CallLimits& limits) {
  const auto checked = [&](JsonFields& of, const std::string& where) {
    ScoreRequest pair;
    const bool source = of.read("source", pair.source);
    const bool target = of.read("target", pair.target);
    check_request(source == target, 400, "\"", where,
                  source ? "target" : "source", "\" is missing");
    check_text(pair.source, where + "source", limits);
    check_text(pair.target, where + "target", limits);
    return std::pair(source, pair);
  };
  const auto [single, pair] = checked(fields, "");
  const Json* list = fields.objects("pairs");
  check_request(single == (list == nullptr), 400,
                "give either \"source\" and \"target\" or \"pairs\"");
  if (single) return {pair};
  check_number(list->size(), "pairs");
  std::vector<ScoreRequest> pairs;
  for (const Json& object : *list) {
    const std::string where = join("pairs[", pairs.size(), "].");
    JsonFields one(object, where);
    auto [given, next] = checked(one, where);
    check_request(given, 400, "\"", where, "source\" is missing");
    one.check_all_known();
    pairs.push_back(std::move(next));
  }
  return pairs;
}

}  // namespace

void check_number(size_t count, const std::string& name) {
  check_request(count <= kMostTexts, 413, "\"", name, "\" has ", count,
                " texts, but ", kMostTexts, " are the most");
}

void check_text(const std::string& text, const std::string& name,
                const CallLimits& limits) {
  const int count = characters(text);
  check_request(count <= limits.max_text, 413, "\"", name, "\" has ", count,
                " characters, but ", limits.max_text, " are the most");
}

void check_weights(int64_t count, const CallLimits& limits) {
  check_request(count <= limits.max_weights, 413,
                "the alignments have more than ", limits.max_weights,
                " weights, which are the most; send fewer or shorter texts");
}

TranslateCall read_translate_call(const Json& object,
                                  const CallLimits& limits) {
  JsonFields fields(object);
  TranslateCall call;
  fields.read("model", call.model);
  const std::vector<std::string> texts = read_texts(fields, limits);
  const std::vector<std::string> prefixes = read_prefixes(fields, texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    check_text(prefixes[i], "prefix", limits);
    call.requests.push_back({texts[i], prefixes[i], i});
  }
  SearchConfig& search = call.options.all.search;
  read_search(fields, search, limits);
  read_style(fields, call.style);
  call.style.n_best = search.n_best > 1;
  fields.read("shortlist", call.options.shortlist);
  fields.read("split", call.split);
  fields.read("stream", call.stream);
  check_request(!call.stream || texts.size() == 1, 422,
                "\"stream\" is for one text");
  fields.check_all_known();
  search.want_weights =
      call.stream || call.style.alignment != AlignmentKind::kNone;
  check_heads(search);
  return call;
}

PairsCall read_score_call(const Json& object, const CallLimits& limits) {
  JsonFields fields(object);
  PairsCall call;
  fields.read("model", call.model);
  call.pairs = read_pairs(fields, limits);
  fields.read("length_penalty", call.config.search.length_penalty, kPenalty);
  fields.read("heads", call.config.search.heads, kHeads);
  read_style(fields, call.style);
  fields.check_all_known();
  call.config.search.want_weights =
      call.style.alignment != AlignmentKind::kNone;
  check_heads(call.config.search);
  return call;
}

PairsCall read_align_call(const Json& object, const CallLimits& limits) {
  JsonFields fields(object);
  PairsCall call;
  fields.read("model", call.model);
  call.pairs = read_pairs(fields, limits);
  fields.read("heads", call.config.search.heads, kHeads);
  fields.read("threshold", call.style.threshold, {0.0f, 1.0f});
  fields.check_all_known();
  call.style.alignment = AlignmentKind::kWords;
  call.config.search.want_weights = true;
  check_heads(call.config.search);
  return call;
}

TokenizeCall read_tokenize_call(const Json& object, const CallLimits& limits) {
  JsonFields fields(object);
  TokenizeCall call;
  fields.read("model", call.model);
  call.texts = read_texts(fields, limits);
  call.of_source = fields.choice("side", {"source", "target"}) == "source";
  fields.check_all_known();
  return call;
}

ExplainCall read_explain_call(const Json& object, const CallLimits& limits) {
  JsonFields fields(object);
  ExplainCall call;
  fields.read("model", call.model);
  check_request(fields.read("source", call.source), 400,
                "\"source\" is missing");
  call.has_target = fields.read("target", call.target);
  fields.read("vectors", call.vectors);
  fields.read("beam_size", call.beam_size, {1, kMostBeam});
  fields.check_all_known();
  check_text(call.source, "source", limits);
  check_text(call.target, "target", limits);
  check_request(!is_blank(call.source), 422, "\"source\" must not be blank");
  check_request(!call.has_target || !is_blank(call.target), 422,
                "\"target\" must not be blank");
  return call;
}

}  // namespace fovea
