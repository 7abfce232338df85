#include "fovea/decode/scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/decode/search_all.h"
#include "fovea/decode/vote.h"
#include "fovea/kernels/softmax.h"

namespace fovea {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// The words of all shortlists, sorted; empty if there are none.
std::vector<int> union_of_words(std::span<const SearchSource> sources) {
  std::vector<int> words;
  for (const SearchSource& source : sources) {
    check(source.shortlist.empty() == sources.front().shortlist.empty(),
          "search: some sentences have a shortlist and others none");
    words.insert(words.end(), source.shortlist.begin(), source.shortlist.end());
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace

Scorer::Scorer(std::span<const Seq2Seq* const> models,
               std::span<const SearchSource> sources,
               const SearchConfig& config)
    : models_(models), sources_(sources), words_(union_of_words(sources)) {
  check(!models.empty(), "search: there is no model");
  if (config.want_weights) {
    trace_.emplace(std::vector<Trace::Request>{
        {models.front()->alignment_layer(), config.heads}});
  }
  for (const Seq2Seq* model : models_) {
    const Ids ids = with_end_marks(sources, *model);
    states_.push_back(model->start(model->encode(ids, {}), {}));
    if (!words_.empty()) outputs_.push_back(model->output_for(words_));
  }
  for (const SearchSource& source : sources) {
    std::vector<int>& places = places_.emplace_back();
    check(
        source.shortlist.empty() ||
            std::ranges::binary_search(source.shortlist, models.front()->end()),
        "search: a shortlist lacks the end mark");
    for (int word : source.shortlist) {
      const auto at = std::lower_bound(words_.begin(), words_.end(), word);
      places.push_back(static_cast<int>(at - words_.begin()));
    }
  }
  source_.resize(sources.size());
  std::iota(source_.begin(), source_.end(), 0);
}

void Scorer::read(std::span<const int> last) {
  Vote vote(models_.size());
  for (size_t m = 0; m < models_.size(); ++m) {
    Pass pass;
    if (m == 0 && trace_) {
      trace_->clear();
      pass.trace = &*trace_;
    }
    Step step = models_[m]->step(std::move(states_[m]), last, pass);
    states_[m] = std::move(step.state);
    const Var said = words_.empty() ? models_[m]->readout(step.hidden)
                                    : outputs_[m](step.hidden);
    vote.add(own_words(said.value()));
  }
  scores_ = vote.result();
  normalise();
}

// Each row's own words side by side.
Tensor Scorer::own_words(const Tensor& of_all) const {
  if (words_.empty()) return of_all;
  std::vector<std::span<const int>> columns;
  for (int s : source_) columns.emplace_back(places_[s]);
  return own_columns(of_all, columns);
}

void Scorer::normalise() {
  lengths_.clear();
  for (int s : source_) {
    lengths_.push_back(static_cast<int>(
        words_.empty() ? scores_.cols() : std::ssize(places_[s])));
  }
  normalisers_.resize(lengths_.size());
  kernels::log_sum_exp(scores_.data(), {lengths_, scores_.cols()},
                       normalisers_);
}

float Scorer::log_probability(int row, int column) const {
  return scores_[row * scores_.cols() + column] - normalisers_[row];
}

int Scorer::word(int row, int column) const {
  return words_.empty() ? column : sources_[source_[row]].shortlist[column];
}

int Scorer::column(int row, int word) const {
  if (words_.empty()) return word;
  const std::span<const int> own = sources_[source_[row]].shortlist;
  const auto at = std::lower_bound(own.begin(), own.end(), word);
  return at != own.end() && *at == word ? static_cast<int>(at - own.begin())
                                        : -1;
}

std::vector<SearchStep::Choice> Scorer::likeliest(int row, int count) const {
  const float* scores = scores_.data() + row * scores_.cols();
  std::vector<int> columns(scores_.cols());
  std::iota(columns.begin(), columns.end(), 0);
  count = static_cast<int>(std::min<int64_t>(count, scores_.cols()));
  std::partial_sort(columns.begin(), columns.begin() + count, columns.end(),
                    [&](int a, int b) { return scores[a] > scores[b]; });
  std::vector<SearchStep::Choice> all;
  for (int i = 0; i < count && scores[columns[i]] != kNever; ++i) {
    all.push_back(
        {word(row, columns[i]), std::exp(log_probability(row, columns[i]))});
  }
  return all;
}

std::vector<float> Scorer::weights(int row) const {
  if (!trace_ || trace_->records().empty()) return {};
  const Tensor mean = trace_->records().front().mean_weights(row);
  return {mean.data(), mean.data() + mean.size()};
}

void Scorer::keep(std::span<const int> rows) {
  const bool all = std::ssize(rows) == std::ssize(source_) &&
                   std::ranges::is_sorted(rows) &&
                   std::ranges::adjacent_find(rows) == rows.end();
  if (all) return;
  for (State& state : states_) state.keep(rows);
  std::vector<int> kept;
  for (int row : rows) kept.push_back(source_[row]);
  source_ = std::move(kept);
}

}  // namespace fovea
