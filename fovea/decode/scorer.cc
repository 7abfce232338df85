#include "fovea/decode/scorer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/decode/search_all.h"
#include "fovea/decode/vote.h"
#include "fovea/kernels/softmax.h"

namespace fovea {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// A row costs what all words of its group cost, so that a group is one sentence
// unless so many columns would take too much memory.
constexpr size_t kMostColumns = 1 << 14;

// The words of so many sentences at a time, sorted.
std::vector<std::vector<int>> joined_lists(
    std::span<const SearchSource> sources, size_t together) {
  std::vector<std::vector<int>> joined;
  for (size_t begin = 0; begin < sources.size(); begin += together) {
    std::vector<int>& words = joined.emplace_back();
    const size_t count = std::min(together, sources.size() - begin);
    for (const SearchSource& source : sources.subspan(begin, count)) {
      words.insert(words.end(), source.shortlist.begin(),
                   source.shortlist.end());
    }
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
  }
  return joined;
}

}  // namespace

Scorer::Scorer(std::span<const Seq2Seq* const> models,
               std::span<const SearchSource> sources,
               const SearchConfig& config)
    : models_(models), sources_(sources) {
  check(!models.empty(), "search: there is no model");
  for (const SearchSource& source : sources) {
    check(source.shortlist.empty() == sources.front().shortlist.empty(),
          "search: some sentences have a shortlist and others none");
  }
  if (config.want_weights) {
    trace_.emplace(std::vector<Trace::Request>{
        {models.front()->alignment_layer(), config.heads}});
  }
  for (const Seq2Seq* model : models_) {
    const Ids ids = with_end_marks(sources, *model);
    states_.push_back(model->start(model->encode(ids, {}), {}));
  }
  source_.resize(sources.size());
  std::iota(source_.begin(), source_.end(), 0);
  if (!sources.empty() && !sources.front().shortlist.empty()) list_words();
}

void Scorer::list_words() {
  size_t together = 1;
  std::vector<std::vector<int>> joined = joined_lists(sources_, together);
  const auto columns = [&] {
    return std::transform_reduce(joined.begin(), joined.end(), size_t{0},
                                 std::plus<>(), std::ranges::ssize);
  };
  while (columns() > kMostColumns && joined.size() > 1) {
    joined = joined_lists(sources_, together *= 2);
  }
  for (std::vector<int>& words : joined) {
    Group& group = groups_.emplace_back();
    group.words = std::move(words);
    for (const Seq2Seq* model : models_) {
      group.outputs.push_back(model->output_for(group.words));
    }
  }
  for (size_t s = 0; s < sources_.size(); ++s) {
    const std::span<const int> own = sources_[s].shortlist;
    check(std::ranges::binary_search(own, models_.front()->end()),
          "search: a shortlist lacks the end mark");
    Listed& listed = listed_.emplace_back();
    listed.group = static_cast<int>(s / together);
    const std::vector<int>& words = groups_[listed.group].words;
    for (int word : own) {
      const auto at = std::ranges::lower_bound(words, word);
      listed.places.push_back(static_cast<int>(at - words.begin()));
    }
  }
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
    vote.add(groups_.empty() ? models_[m]->readout(step.hidden).value()
                             : own_words(m, step.hidden));
  }
  scores_ = vote.result();
  normalise();
}

// Each row's own words side by side.
Tensor Scorer::own_words(size_t model, const Var& hidden) const {
  std::vector<std::span<const int>> columns;
  size_t widest = 0;
  for (int s : source_) {
    columns.emplace_back(listed_[s].places);
    widest = std::max(widest, columns.back().size());
  }
  Tensor own({hidden.dim(0), static_cast<int64_t>(widest)});
  const auto group_of = [&](size_t row) { return listed_[source_[row]].group; };
  for (size_t begin = 0, end; begin < source_.size(); begin = end) {
    const int group = group_of(begin);
    for (end = begin + 1; end < source_.size() && group_of(end) == group;) {
      ++end;
    }
    const Var of_all =
        groups_[group].outputs[model](slice_rows(hidden, begin, end));
    own_columns(of_all.value(), std::span(columns).subspan(begin, end - begin),
                own.row_range(begin, end));
  }
  return own;
}

void Scorer::normalise() {
  lengths_.clear();
  for (int s : source_) {
    lengths_.push_back(static_cast<int>(
        groups_.empty() ? scores_.cols() : std::ssize(listed_[s].places)));
  }
  normalisers_.resize(lengths_.size());
  kernels::log_sum_exp(scores_.data(), {lengths_, scores_.cols()},
                       normalisers_);
}

std::span<float> Scorer::row_scores(int row) const {
  return scores_.span().subspan(row * scores_.cols(), scores_.cols());
}

float Scorer::log_probability(int row, int column) const {
  return scores_[row * scores_.cols() + column] - normalisers_[row];
}

int Scorer::word(int row, int column) const {
  return groups_.empty() ? column : sources_[source_[row]].shortlist[column];
}

int Scorer::column(int row, int word) const {
  if (groups_.empty()) return word;
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
