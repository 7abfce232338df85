#include "fovea/decode/translate_texts.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/decode/stitch.h"

namespace fovea {
namespace {

constexpr int64_t kTextsOfThread = 32;  // at least

// Texts while their parts are on their way.
class TextsWork {
 public:
  TextsWork(const Voters& voters, std::span<const TranslateRequest> requests,
            const TranslateOptions& options, const TranslateWatch& watch)
      : voters_(voters),
        given_(options),
        options_(complete(voters, options)),
        watch_(watch),
        texts_(requests.size()),
        results_(requests.size()) {
    const auto count = std::ssize(requests);
    parallel_for(count, kTextsOfThread, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        texts_[i] = prepare(voters_, requests[i], options_);
      }
    });
    for (size_t t = 0; t < texts_.size(); ++t) {
      for (size_t p = 0; p < texts_[t].parts.size(); ++p) {
        places_.push_back({t, p});
      }
    }
    left_ = std::vector<std::atomic<size_t>>(texts_.size());
  }

  std::vector<std::vector<Translation>> run() {
    for (size_t t = 0; t < texts_.size(); ++t) {
      left_[t] = texts_[t].parts.size();
      if (left_[t] == 0) finish(t);
    }
    std::vector<int> lengths;  // with end marks
    for (const Place& place : places_) {
      const size_t tokens = texts_[place.text].ids[place.part].size();
      if (tokens == 0) found(place, {{.finished = true}});
      lengths.push_back(tokens == 0 ? 0 : static_cast<int>(tokens) + 1);
    }
    tell(std::ranges::count(lengths, 0));
    run_in_groups(
        lengths, options_.all.limits(),
        [&](const Group& group) { search_group(group); },
        [&](int64_t done) { tell(done); });
    return std::move(results_);
  }

 private:
  struct Place {
    size_t text, part;
  };

  void search_group(const Group& group) {
    std::vector<SearchSource> some;
    for (int i : group) {
      some.push_back(texts_[places_[i].text].source(places_[i].part));
    }
    auto hypotheses = search(voters_.models, some, options_.all.search);
    for (size_t i = 0; i < some.size(); ++i) {
      found(places_[group[i]], std::move(hypotheses[i]));
    }
  }

  void found(const Place& place, std::vector<Hypothesis> hypotheses) {
    texts_[place.text].parts[place.part].hypotheses = std::move(hypotheses);
    if (--left_[place.text] == 0) finish(place.text);
  }

  void finish(size_t text) {
    const PreparedText& found = texts_[text];
    results_[text] = stitch(found.text, found.parts, voters_.target, given_);
    if (!watch_.text) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    finished_.push_back(text);
  }

  // One thread at a time.
  void tell(int64_t parts_done) {
    std::vector<size_t> texts;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      texts = std::exchange(finished_, {});
    }
    std::ranges::sort(texts);
    for (size_t text : texts) watch_.text(text, results_[text]);
    if (!watch_.share || places_.empty()) return;
    watch_.share(static_cast<double>(parts_done) /
                 static_cast<double>(places_.size()));
  }

  const Voters& voters_;
  const TranslateOptions& given_;
  const TranslateOptions options_;
  const TranslateWatch& watch_;
  std::vector<PreparedText> texts_;
  std::vector<std::vector<Translation>> results_;
  std::vector<Place> places_;              // of all parts
  std::vector<std::atomic<size_t>> left_;  // parts of each text
  std::mutex mutex_;
  std::vector<size_t> finished_;  // texts that nobody was told of yet
};

}  // namespace

// What is unknown or a begin mark is no translation.
TranslateOptions complete(const Voters& voters,
                          const TranslateOptions& options) {
  check_usage(options.max_input >= 0, "--max-input ", options.max_input,
              ": give 0 or more");
  check_usage(!options.shortlist || voters.shortlist != nullptr,
              "this model has no shortlist; 'fovea shortlist' learns one");
  TranslateOptions all = options;
  SearchConfig& search = all.all.search;
  check_usage(voters.models.front()->has_attention() ||
                  (!search.want_weights && options.unknown_words == nullptr),
              "this model has no attention, so it can neither align words nor "
              "replace unknown ones");
  // Some may turn out to be the same text.
  if (search.n_best > 1 && !search.sample) search.n_best = search.beam_size;
  search.blank.assign(voters.blank.begin(), voters.blank.end());
  const Tokenizer& target = voters.target;
  if (target.begin() != target.end()) search.banned.push_back(target.begin());
  if (options.unknown_words == nullptr) {
    search.banned.push_back(target.unknown());
  } else {
    search.want_weights = true;
  }
  return all;
}

// What is longer than nearly all that was learnt from loses its end: it is
// worse than what is cut, within a sentence, too.
int longest_part(const Voters& voters, const TranslateOptions& options) {
  const int most = longest_of(voters.models);
  if (options.max_input > 0) return std::min(options.max_input, most);
  const int learnt =
      voters.source_length > 0 ? voters.source_length : kMostInput;
  return std::min({learnt, kMostInput, most});
}

PreparedText prepare(const Voters& voters, const TranslateRequest& request,
                     const TranslateOptions& options) {
  PreparedText text = prepare_text(request, voters.source, voters.target,
                                   longest_part(voters, options));
  if (options.shortlist) {
    add_shortlists(text, *voters.shortlist, voters.target.unknown());
  }
  return text;
}

std::vector<std::vector<Translation>> translate_texts(
    const Voters& voters, std::span<const TranslateRequest> requests,
    const TranslateOptions& options, const TranslateWatch& watch) {
  return TextsWork(voters, requests, options, watch).run();
}

}  // namespace fovea
