#include "fovea/decode/translator.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "fovea/decode/clean_text.h"
#include "fovea/decode/force_all.h"
#include "fovea/decode/prepared_text.h"
#include "fovea/decode/stitch.h"
#include "fovea/decode/translate_texts.h"
#include "fovea/models/box.h"

namespace fovea {
namespace {

constexpr int kShownColumns = 40;  // of a text, in a message

std::vector<int> blank_words(const Tokenizer& tokenizer) {
  constexpr size_t kLongestName = 6;  // "<0x20>", two spaces as "▁▁"
  std::vector<int> blank;
  for (int id = 0; id < tokenizer.size(); ++id) {
    if (tokenizer.piece(id).size() > kLongestName) continue;
    if (is_blank(tokenizer.decode(std::span(&id, 1)))) blank.push_back(id);
  }
  return blank;
}

void check_alike(const TranslationModel& first, const TranslationModel& other,
                 const std::string& first_folder, const std::string& folder) {
  check_data(first.source.write() == other.source.write(), folder,
             ": has another source vocabulary than ", first_folder,
             "; models that vote must share it");
  check_data(first.target.write() == other.target.write(), folder,
             ": has another target vocabulary than ", first_folder,
             "; models that vote must share it");
}

}  // namespace

Translator Translator::load(const std::vector<std::string>& folders,
                            Precision precision) {
  check(!folders.empty(), "there is no model to translate with");
  std::vector<TranslationModel> models;
  for (const std::string& folder : folders) {
    models.push_back(load_translation_model(model_files(folder), precision));
    check_alike(models.front(), models.back(), folders.front(), folder);
  }
  std::optional<Shortlist> shortlist =
      load_shortlist(model_files(folders.front()), models.front());
  return Translator(std::move(models), std::move(shortlist));
}

Translator::Translator(std::vector<TranslationModel> models,
                       std::optional<Shortlist> shortlist)
    : models_(std::move(models)), shortlist_(std::move(shortlist)) {
  assert(!models_.empty());
  for (const TranslationModel& m : models_) pointers_.push_back(m.model.get());
  blank_ = blank_words(target());
}

Voters Translator::voters() const {
  return {.models = pointers_,
          .source = source(),
          .target = target(),
          .shortlist = shortlist_ ? &*shortlist_ : nullptr,
          .blank = blank_,
          .source_length = model().config.source_length};
}

void Translator::check_options(const TranslateOptions& options) const {
  complete(voters(), options);
}

int Translator::max_input(const TranslateOptions& options) const {
  return longest_part(voters(), options);
}

PreparedText Translator::prepare(const TranslateRequest& request,
                                 const TranslateOptions& options) const {
  return fovea::prepare(voters(), request, options);
}

std::vector<std::vector<Hypothesis>> Translator::search(
    std::span<const SearchSource> sources, const TranslateOptions& options,
    SearchWatch* watch) const {
  const TranslateOptions all = complete(voters(), options);
  return search_in_turn(pointers_, sources, all.all, watch);
}

std::vector<Translation> Translator::finish(
    const PreparedText& text, const TranslateOptions& options) const {
  return stitch(text.text, text.parts, target(), options);
}

std::vector<std::vector<Translation>> Translator::translate(
    std::span<const TranslateRequest> requests, const TranslateOptions& options,
    const TranslateWatch& watch) const {
  return translate_texts(voters(), requests, options, watch);
}

void Translator::check_length(const ScoreRequest& request,
                              size_t tokens) const {
  const int longest = longest_of(pointers_);
  check_data(std::cmp_less_equal(tokens, longest), "'",
             cut_to_columns(request.source, kShownColumns), "' and its ",
             "translation have up to ", tokens, " tokens, but the model has ",
             "learned positions for ", longest, " only");
}

std::vector<Translation> Translator::score(
    std::span<const ScoreRequest> requests, const SearchAllConfig& config,
    bool with_shortlist) const {
  check_options({.all = config, .shortlist = with_shortlist});
  std::vector<std::vector<Piece>> from, to;
  std::vector<std::vector<int>> source_ids, target_ids, shortlists;
  for (const ScoreRequest& request : requests) {
    from.push_back(clean_pieces(request.source, source()));
    to.push_back(clean_pieces(request.target, target()));
    source_ids.push_back(ids_of(from.back()));
    target_ids.push_back(ids_of(to.back()));
    check_length(request, std::max(from.back().size(), to.back().size()));
    if (!with_shortlist) continue;
    shortlists.push_back(
        words_allowed(*shortlist_, source_ids.back(), {}, target().unknown()));
  }
  std::vector<SearchSource> sources = sources_of(source_ids);
  for (size_t i = 0; i < shortlists.size(); ++i) {
    sources[i].shortlist = shortlists[i];
  }
  std::vector<Hypothesis> found =
      force_all(pointers_, sources, target_ids, config);
  std::vector<Translation> results;
  for (size_t i = 0; i < found.size(); ++i) {
    Hypothesis& h = found[i];
    TranslatedPart part{.source = std::move(from[i]),
                        .target = std::move(to[i]),
                        .log_probabilities = std::move(h.log_probabilities),
                        .weights = std::move(h.weights)};
    results.push_back({.text = requests[i].target,
                       .score = h.score,
                       .log_probability = h.log_probability,
                       .parts = {}});
    results.back().parts.push_back(std::move(part));
  }
  return results;
}

}  // namespace fovea
