#include "fovea/decode/translator.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/decode/force_all.h"
#include "fovea/decode/prepared_text.h"
#include "fovea/decode/stitch.h"
#include "fovea/models/box.h"

namespace fovea {
namespace {

constexpr int64_t kTextsOfThread = 32;  // at least

// All parts of all texts.
std::vector<SearchSource> sources_of(const std::vector<PreparedText>& texts) {
  std::vector<SearchSource> sources;
  for (const PreparedText& text : texts) {
    for (size_t p = 0; p < text.parts.size(); ++p) {
      sources.push_back(text.source(p));
    }
  }
  return sources;
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

// A share of `total` for a count.
std::function<void(int64_t)> share_of(size_t total, const ShareDone& done) {
  if (!done) return {};
  return [total, &done](int64_t count) {
    done(static_cast<double>(count) / static_cast<double>(total));
  };
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
}

// What is unknown or a begin mark is no translation.
TranslateOptions Translator::complete(const TranslateOptions& options) const {
  check_usage(options.max_input >= 1, "--max-input ", options.max_input,
              ": give at least 1");
  check_usage(!options.shortlist || shortlist_,
              "this model has no shortlist; 'fovea shortlist' learns one");
  TranslateOptions all = options;
  SearchConfig& search = all.all.search;
  check_usage(has_attention() ||
                  (!search.want_weights && options.unknown_words == nullptr),
              "this model has no attention, so it can neither align words nor "
              "replace unknown ones");
  if (target().begin() != target().end()) {
    search.banned.push_back(target().begin());
  }
  if (options.unknown_words == nullptr) {
    search.banned.push_back(target().unknown());
  } else {
    search.want_weights = true;
  }
  return all;
}

PreparedText Translator::prepare(const TranslateRequest& request,
                                 const TranslateOptions& options) const {
  PreparedText text =
      prepare_text(request, source(), target(), options.max_input);
  if (options.shortlist) {
    add_shortlists(text, *shortlist_, target().unknown());
  }
  return text;
}

std::vector<std::vector<Hypothesis>> Translator::search(
    std::span<const SearchSource> sources, const TranslateOptions& options,
    SearchWatch* watch) const {
  return fovea::search(pointers_, sources, complete(options).all.search, watch);
}

std::vector<Translation> Translator::finish(
    const PreparedText& text, const TranslateOptions& options) const {
  return stitch(text.text, text.parts, target(), options);
}

std::vector<std::vector<Translation>> Translator::translate(
    std::span<const TranslateRequest> requests, const TranslateOptions& given,
    const ShareDone& done) const {
  const TranslateOptions options = complete(given);
  std::vector<PreparedText> texts(requests.size());
  const auto count = std::ssize(requests);
  parallel_for(count, kTextsOfThread, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      texts[i] = prepare(requests[i], options);
    }
  });
  const std::vector<SearchSource> sources = sources_of(texts);
  auto found = search_all(pointers_, sources, options.all,
                          share_of(sources.size(), done));
  auto next = found.begin();
  for (PreparedText& text : texts) {
    for (FoundPart& part : text.parts) part.hypotheses = std::move(*next++);
  }
  std::vector<std::vector<Translation>> results(requests.size());
  parallel_for(count, kTextsOfThread, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      results[i] = finish(texts[i], given);
    }
  });
  return results;
}

std::vector<Translation> Translator::score(
    std::span<const ScoreRequest> requests, const SearchAllConfig& config,
    const ShareDone& done) const {
  check_usage(has_attention() || !config.search.want_weights,
              "this model has no attention, so it cannot align words");
  std::vector<std::vector<Piece>> from, to;
  std::vector<std::vector<int>> source_ids, target_ids;
  for (const ScoreRequest& request : requests) {
    from.push_back(source().pieces(request.source));
    to.push_back(target().pieces(request.target));
    source_ids.push_back(ids_of(from.back()));
    target_ids.push_back(ids_of(to.back()));
  }
  std::vector<Hypothesis> found =
      force_all(pointers_, sources_of(source_ids), target_ids, config,
                share_of(requests.size(), done));
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
