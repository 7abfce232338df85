#include "fovea/decode/translator.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "fovea/data/long_text.h"
#include "fovea/decode/force_all.h"
#include "fovea/decode/stitch.h"
#include "fovea/models/box.h"

namespace fovea {
namespace {

constexpr int64_t kTextsOfThread = 32;  // at least

// Random numbers of a part are its own.
constexpr int kPartShift = 40;

// A text as the search takes it.
struct Job {
  std::string text;
  std::vector<FoundPart> parts;              // none: blank
  std::vector<std::vector<int>> ids;         // of each part
  std::vector<int> prefix;                   // of the first part
  std::vector<std::vector<int>> shortlists;  // of each part, or none
  uint64_t number = 0;
};

Job job_of(const TranslateRequest& request, const Tokenizer& source,
           const Tokenizer& target, const TranslateOptions& options) {
  Job job;
  job.text = mend_utf8(request.text);
  job.number = request.number;
  if (is_blank(job.text)) return job;
  const auto add = [&](const TextRange& range, std::vector<Piece> tokens) {
    job.ids.push_back(ids_of(tokens));
    job.parts.push_back({range, std::move(tokens), {}});
  };
  std::vector<Piece> whole = source.pieces(job.text);
  if (std::ssize(whole) <= options.max_input) {
    add({0, static_cast<int>(job.text.size())}, std::move(whole));
  } else {
    const auto count = [&](std::string_view part) {
      return static_cast<int>(source.encode(part).size());
    };
    for (const TextRange range :
         cut_long_text(job.text, options.max_input, count)) {
      add(range, source.pieces(range.of(job.text)));
    }
  }
  job.prefix = target.encode(without_end_space(request.prefix));
  return job;
}

// The words that translations may have: those of the shortlist, of the prefix,
// and the unknown one where it is wanted.
void add_shortlists(Job& job, const Shortlist& shortlist, int unknown) {
  for (const std::vector<int>& ids : job.ids) {
    std::vector<int> words = shortlist.words_for(ids);
    words.insert(words.end(), job.prefix.begin(), job.prefix.end());
    words.push_back(unknown);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    job.shortlists.push_back(std::move(words));
  }
}

// All parts of all texts.
std::vector<SearchSource> sources_of(const std::vector<Job>& jobs) {
  std::vector<SearchSource> sources;
  for (const Job& job : jobs) {
    for (size_t p = 0; p < job.parts.size(); ++p) {
      sources.push_back(
          {.ids = job.ids[p],
           .number = job.number + (static_cast<uint64_t>(p) << kPartShift)});
      if (p == 0) sources.back().prefix = job.prefix;
      if (!job.shortlists.empty()) {
        sources.back().shortlist = job.shortlists[p];
      }
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
  }
  return all;
}

std::vector<std::vector<Translation>> Translator::translate(
    std::span<const TranslateRequest> requests, const TranslateOptions& given,
    const ShareDone& done) const {
  const TranslateOptions options = complete(given);
  std::vector<Job> jobs(requests.size());
  const auto count = std::ssize(requests);
  parallel_for(count, kTextsOfThread, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      jobs[i] = job_of(requests[i], source(), target(), options);
      if (options.shortlist) {
        add_shortlists(jobs[i], *shortlist_, target().unknown());
      }
    }
  });
  SearchAllConfig config = options.all;
  if (options.unknown_words != nullptr) config.search.want_weights = true;
  const std::vector<SearchSource> sources = sources_of(jobs);
  auto found =
      search_all(pointers_, sources, config, share_of(sources.size(), done));
  auto next = found.begin();
  for (Job& job : jobs) {
    for (FoundPart& part : job.parts) part.hypotheses = std::move(*next++);
  }
  std::vector<std::vector<Translation>> results(requests.size());
  parallel_for(count, kTextsOfThread, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      results[i] = stitch(jobs[i].text, jobs[i].parts, target(), options);
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
