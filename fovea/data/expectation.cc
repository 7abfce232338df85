#include "fovea/data/expectation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "fovea/base/parallel.h"

namespace fovea {
namespace {

// Few enough that slots found for reading are still near when they are written.
constexpr size_t kRunCells = size_t{1} << 16;

size_t cells_of(const Lengths& of) {
  return static_cast<size_t>(of.source + 1) * of.target;
}

}  // namespace

void PlacePrior::fill(const Lengths& of, int j, std::span<float> places) const {
  const double rest = 1 - null_probability;
  if (diagonal) {
    fill_diagonal(of, j, tension, rest, places);
  } else {
    std::fill(places.begin(), places.end(),
              static_cast<float>(rest / of.source));
  }
}

Expectation::Expectation(const Sentences& source, const Sentences& target,
                         std::span<const int64_t> pairs)
    : source_(source), target_(target) {
  std::map<std::pair<size_t, size_t>, std::vector<int64_t>> by_lengths;
  for (const int64_t pair : pairs) {
    by_lengths[{source[pair].size(), target[pair].size()}].push_back(pair);
  }
  for (auto& [lengths, members] : by_lengths) {
    groups_.push_back(
        {{static_cast<int>(lengths.first), static_cast<int>(lengths.second)},
         std::move(members)});
  }
}

Expectation::Result Expectation::run(TranslationTable& table,
                                     const PlacePrior& prior) {
  Result result;
  for (const Group& group : groups_) {
    result.counts.push_back({group.of, std::vector<double>(group.of.target)});
  }
  const int parts = thread_limit();
  for (Position next; next.group < groups_.size();) {
    next = take_run(next);
    parallel_for(std::ssize(run_places_), 8, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) fill_places(prior, run_places_[i]);
    });
    parallel_for(std::ssize(run_), 64, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) compute(table, run_[i]);
    });
    parallel_tasks(parts, [&](int64_t part, int) {
      add_counts(table, static_cast<int>(part), parts);
    });
    add_to(result);
  }
  return result;
}

// Makes room for pairs from a position on and gives the one behind them.
Expectation::Position Expectation::take_run(Position next) {
  run_.clear();
  run_places_.clear();
  size_t cells = 0, place_cells = 0;
  while (next.group < groups_.size() && cells < kRunCells) {
    const Group& group = groups_[next.group];
    if (run_places_.empty() || run_places_.back().group != &group) {
      run_places_.push_back({&group, place_cells});
      place_cells += cells_of(group.of);
    }
    run_.push_back({.pair = group.pairs[next.pair],
                    .group = next.group,
                    .places = run_places_.size() - 1,
                    .begin = cells});
    cells += cells_of(group.of);
    ++next.pair;
    if (next.pair == group.pairs.size()) next = {next.group + 1, 0};
  }
  places_.resize(std::max(places_.size(), place_cells));
  distances_.resize(places_.size());
  slots_.resize(std::max(slots_.size(), cells));
  posteriors_.resize(slots_.size());
  return next;
}

void Expectation::fill_places(const PlacePrior& prior, const Places& places) {
  const Lengths& of = places.group->of;
  std::vector<float> column(of.source);
  for (int j = 0; j < of.target; ++j) {
    prior.fill(of, j + 1, column);
    for (int i = 0; i <= of.source; ++i) {
      const size_t at = places.begin + static_cast<size_t>(i) * of.target + j;
      places_[at] =
          i == 0 ? static_cast<float>(prior.null_probability) : column[i - 1];
      distances_[at] =
          i == 0 ? 0 : static_cast<float>(off_diagonal(of, i, j + 1));
    }
  }
}

// The probability of each source word, given both sentences.
void Expectation::compute(const TranslationTable& table, Matrix& matrix) {
  const std::span<const int> source = source_[matrix.pair];
  const std::span<const int> target = target_[matrix.pair];
  const size_t n = source.size(), m = target.size();
  const float* place = places_.data() + run_places_[matrix.places].begin;
  const float* away = distances_.data() + run_places_[matrix.places].begin;
  uint32_t* slot = slots_.data() + matrix.begin;
  float* posterior = posteriors_.data() + matrix.begin;
  thread_local std::vector<float> sums, distances;
  sums.assign(m, 0);
  distances.assign(m, 0);
  for (size_t i = 0; i <= n; ++i) {
    const int word = i == 0 ? TranslationTable::kNull : source[i - 1];
    const TranslationTable::Row& row = table.row(word);
    for (size_t j = 0, at = i * m; j < m; ++j, ++at) {
      slot[at] = table.find(row, target[j]);
      posterior[at] = table[slot[at]].probability * place[at];
      sums[j] += posterior[at];
      distances[j] += posterior[at] * away[at];
    }
  }
  for (size_t j = 0; j < m; ++j) {
    matrix.log_likelihood += std::log(static_cast<double>(sums[j]));
    matrix.distance += distances[j] / sums[j];
    sums[j] = 1 / sums[j];
  }
  for (size_t i = 0, at = 0; i <= n; ++i) {
    for (size_t j = 0; j < m; ++j, ++at) posterior[at] *= sums[j];
  }
}

// Of the rows that belong to this part; each row has one part.
void Expectation::add_counts(TranslationTable& table, int part,
                             int parts) const {
  for (const Matrix& matrix : run_) {
    const std::span<const int> source = source_[matrix.pair];
    const size_t n = source.size(), m = target_[matrix.pair].size();
    for (size_t i = 0; i <= n; ++i) {
      if ((i == 0 ? 0 : source[i - 1] + 1) % parts != part) continue;
      const size_t begin = matrix.begin + i * m;
      for (size_t at = begin; at < begin + m; ++at) {
        table[slots_[at]].count += posteriors_[at];
      }
    }
  }
}

void Expectation::add_to(Result& result) const {
  for (const Matrix& matrix : run_) {
    result.log_likelihood += matrix.log_likelihood;
    result.distance += matrix.distance;
    std::vector<double>& linked = result.counts[matrix.group].linked;
    for (size_t j = 0; j < linked.size(); ++j) {
      linked[j] += 1 - posteriors_[matrix.begin + j];
    }
  }
}

}  // namespace fovea
