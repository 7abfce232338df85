#include "fovea/decode/search.h"

#include <algorithm>
#include <limits>

#include "fovea/base/check.h"
#include "fovea/base/rng.h"
#include "fovea/decode/beam.h"
#include "fovea/decode/rank.h"
#include "fovea/decode/restriction.h"
#include "fovea/decode/sampling.h"
#include "fovea/decode/scorer.h"
#include "fovea/decode/search_watch.h"
#include "fovea/decode/word_chains.h"
#include "fovea/kernels/topk.h"

namespace fovea {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

constexpr int kChoices = 5;  // that a watcher is told of

class Search {
 public:
  Search(std::span<const Seq2Seq* const> models,
         std::span<const SearchSource> sources, const SearchConfig& config,
         SearchWatch* watch)
      : begin_(models.front()->begin()),
        end_(models.front()->end()),
        longest_(longest_of(models)),
        sources_(sources),
        config_(config),
        watch_(watch),
        restriction_(config, end_),
        scorer_(models, sources, config) {
    start();
  }

  std::vector<std::vector<Hypothesis>> run() {
    std::vector<std::vector<Hypothesis>> results(sources_.size());
    while (!beams_.empty()) {
      grow();
      for (Beam& beam : beams_) {
        if (watch_ != nullptr && is_stopped(beam)) continue;
        if (beam.done) results[beam.source] = finish(beam);
        if (watch_ != nullptr && beam.done) {
          watch_->finished(beam.source, results[beam.source]);
        }
      }
      keep_unfinished();
    }
    return results;
  }

 private:
  // Tells the watcher of the step, and asks it.
  bool is_stopped(Beam& beam) const {
    if (watch_->stops(beam.source)) {
      beam.done = true;
      return true;
    }
    if (watch_->follows(beam.source) && !beam.cut_off) tell(beam);
    return false;
  }

  void tell(const Beam& beam) const {
    const bool certain = config_.width() == 1;
    Hypothesis best;
    if (!beam.alive.empty()) best = hypothesis(beam, beam.alive.front(), false);
    if (beam.alive.empty() ||
        (!beam.ended.empty() && beam.ended.front().score > best.score)) {
      best = beam.ended.front();
    }
    SearchStep step{best, certain, {}};
    if (certain) step.choices = scorer_.likeliest(beam.first_row, kChoices);
    watch_->step(beam.source, step);
  }

  // As many hypotheses of each sentence as are drawn; else one.
  void start() {
    const int copies = config_.sample ? config_.n_best : 1;
    std::vector<int> rows;
    const LengthLimit limit{.most = config_.max_length};
    for (size_t s = 0; s < sources_.size(); ++s) {
      const int given = static_cast<int>(sources_[s].prefix.size());
      Beam beam;
      beam.source = static_cast<int>(s);
      check_data(given < longest_, "the prefix has ", given,
                 " tokens, but the ", "model has learned positions for ",
                 longest_, " only");
      const int most = limit.of(static_cast<int>(sources_[s].ids.size()));
      beam.longest = std::min(std::max(given + 1, most), longest_);
      for (int i = 0; i < copies; ++i) beam.alive.push_back({.draw = i});
      beams_.push_back(std::move(beam));
      rows.insert(rows.end(), copies, static_cast<int>(s));
    }
    scorer_.keep(rows);
  }

  // One more word for all alive hypotheses.
  void grow() {
    std::vector<int> last;
    for (Beam& beam : beams_) {
      beam.first_row = static_cast<int>(last.size());
      for (const Alive& h : beam.alive) {
        last.push_back(h.node < 0 ? begin_ : chains_.word(h.node));
      }
    }
    scorer_.read(last);
    restrict_words();
    keep_weights(static_cast<int>(last.size()));
    const std::vector<std::vector<Candidate>> chosen =
        config_.sample ? drawn() : best();
    rows_.clear();
    for (size_t i = 0; i < beams_.size(); ++i) extend(beams_[i], chosen[i]);
  }

  void restrict_words() {
    for (const Beam& beam : beams_) {
      for (size_t i = 0; i < beam.alive.size(); ++i) {
        const Alive& h = beam.alive[i];
        if (given_word(beam, h) >= 0) continue;
        restriction_.apply(scorer_, beam.first_row + static_cast<int>(i), h,
                           chains_);
      }
    }
  }

  // The word that the prefix says; -1 behind it.
  int given_word(const Beam& beam, const Alive& h) const {
    const std::span<const int> prefix = sources_[beam.source].prefix;
    return h.length < std::ssize(prefix) ? prefix[h.length] : -1;
  }

  void keep_weights(int rows) {
    if (!config_.want_weights) return;
    row_weights_.clear();
    for (int row = 0; row < rows; ++row) {
      row_weights_.push_back(chains_.add_weights(scorer_.weights(row)));
    }
  }

  // The best candidates of each beam, best first.
  std::vector<std::vector<Candidate>> best() const {
    const Tensor& scores = scorer_.scores();
    std::vector<int> groups;
    std::vector<float> bias;
    for (const Beam& beam : beams_) {
      groups.push_back(beam.first_row);
      for (const Alive& h : beam.alive) {
        const float z = scorer_.normalisers()[bias.size()];
        bias.push_back(static_cast<float>(h.log_probability) - z);
      }
    }
    groups.push_back(static_cast<int>(bias.size()));
    const int k = config_.beam_size == 1 ? 1 : 2 * config_.beam_size;
    std::vector<float> values(beams_.size() * k);
    std::vector<int> indices(beams_.size() * k);
    kernels::topk_groups({scores.data(), scores.rows(), scores.cols()}, groups,
                         bias, {k, values, indices});
    std::vector<std::vector<Candidate>> all(beams_.size());
    const auto cols = static_cast<int>(scores.cols());
    for (size_t i = 0; i < beams_.size(); ++i) {
      if (forced(beams_[i], all[i])) continue;
      for (size_t j = i * k; j < (i + 1) * k; ++j) {
        if (indices[j] < 0 || values[j] == kNever) break;
        all[i].push_back({indices[j] / cols, indices[j] % cols});
      }
    }
    return all;
  }

  std::vector<std::vector<Candidate>> drawn() const {
    std::vector<std::vector<Candidate>> all(beams_.size());
    for (size_t i = 0; i < beams_.size(); ++i) {
      const Beam& beam = beams_[i];
      if (forced(beam, all[i])) continue;
      const RandomKey key = RandomKey(static_cast<uint64_t>(config_.seed))
                                .with(sources_[beam.source].number);
      for (size_t h = 0; h < beam.alive.size(); ++h) {
        const int row = beam.first_row + static_cast<int>(h);
        const Alive& alive = beam.alive[h];
        const float uniform =
            random_uniform(key.with(static_cast<uint64_t>(alive.draw)),
                           static_cast<uint32_t>(alive.length));
        all[i].push_back({static_cast<int>(h),
                          draw(scorer_.row_scores(row), config_, uniform)});
      }
    }
    return all;
  }

  // True while a prefix says how the translation begins; then its next word is
  // the only candidate.
  bool forced(const Beam& beam, std::vector<Candidate>& only) const {
    const int word = given_word(beam, beam.alive.front());
    if (word < 0) return false;
    for (size_t h = 0; h < beam.alive.size(); ++h) {
      const int row = beam.first_row + static_cast<int>(h);
      const int column = scorer_.column(row, word);
      check(column >= 0, "search: the shortlist lacks a word of the prefix");
      only.push_back({static_cast<int>(h), column});
    }
    return true;
  }

  // Goes on with the candidates, best first. Those that end leave.
  void extend(Beam& beam, const std::vector<Candidate>& chosen) {
    // Probabilities that underflow leave nothing to go on with.
    if (beam.alive.front().length >= beam.longest || chosen.empty()) {
      return end(beam, chosen);
    }
    std::vector<Alive> next;
    const int width = config_.width();
    const double least = least_likely(beam, chosen.front());
    for (size_t rank = 0; rank < chosen.size(); ++rank) {
      if (log_probability(beam, chosen[rank]) < least) continue;
      const int row = beam.first_row + chosen[rank].parent;
      const bool ends = is_end(beam, chosen[rank]);
      const bool wanted =
          ends ? static_cast<int>(rank) < width : std::ssize(next) < width;
      if (!wanted) continue;
      const Alive h = longer(beam, chosen[rank]);
      if (ends) {
        beam.ended.push_back(hypothesis(beam, h, true));
        beam.likeliest_end = std::max(beam.likeliest_end, h.log_probability);
        ++beam.ends;
      } else {
        next.push_back(h);
        rows_.push_back(row);
      }
    }
    beam.alive = std::move(next);
    keep_best(beam.ended, config_.width());
    beam.done = is_done(beam);
  }

  // What a candidate must have to be followed.
  double least_likely(const Beam& beam, const Candidate& best) const {
    if (config_.beam_threshold == 0 || config_.sample) return kNever;
    return std::max(beam.likeliest_end, log_probability(beam, best)) -
           config_.beam_threshold;
  }

  double log_probability(const Beam& beam, const Candidate& c) const {
    return beam.alive[c.parent].log_probability +
           scorer_.log_probability(beam.first_row + c.parent, c.column);
  }

  // Where the longest length is reached only the end mark may come; what would
  // go on stays as it is, cut off.
  void end(Beam& beam, const std::vector<Candidate>& chosen) {
    std::vector<bool> ended(beam.alive.size());
    const size_t most = std::min<size_t>(chosen.size(), config_.width());
    for (const Candidate& c : std::span(chosen).first(most)) {
      if (!is_end(beam, c)) continue;
      ended[c.parent] = true;
      beam.ended.push_back(hypothesis(beam, longer(beam, c), true));
    }
    std::vector<Alive> cut_off;
    for (size_t h = 0; h < ended.size(); ++h) {
      if (ended[h]) continue;
      cut_off.push_back(beam.alive[h]);
      rows_.push_back(beam.first_row + static_cast<int>(h));
    }
    beam.alive = std::move(cut_off);
    keep_best(beam.ended, config_.width());
    beam.cut_off = beam.ended.empty();
    beam.done = true;
  }

  bool is_end(const Beam& beam, const Candidate& c) const {
    return scorer_.word(beam.first_row + c.parent, c.column) == end_;
  }

  // An alive hypothesis with one more word.
  Alive longer(const Beam& beam, const Candidate& c) {
    const int row = beam.first_row + c.parent;
    Alive h = beam.alive[c.parent];
    const int word = scorer_.word(row, c.column);
    const float log_probability = scorer_.log_probability(row, c.column);
    h.log_probability += log_probability;
    h.blank = h.blank && std::ranges::binary_search(config_.blank, word);
    h.node = chains_.add({h.node, word, log_probability,
                          config_.want_weights ? row_weights_[row] : 0});
    ++h.length;
    return h;
  }

  bool is_done(const Beam& beam) const {
    if (beam.alive.empty()) return true;
    if (config_.sample) return false;
    if (config_.beam_size == 1) return beam.ends > 0;
    const float enough =
        config_.patience * static_cast<float>(config_.beam_size);
    if (enough > 0 && static_cast<float>(beam.ends) >= enough) return true;
    return cannot_improve(beam);
  }

  // The most that an alive hypothesis may still reach is its probability now
  // over the length that flatters it most; coverage only takes away.
  bool cannot_improve(const Beam& beam) const {
    if (std::ssize(beam.ended) < config_.n_best) return false;
    const float worst = beam.ended[config_.n_best - 1].score;
    return std::ranges::all_of(beam.alive, [&](const Alive& h) {
      const int length =
          config_.length_penalty > 0 ? beam.longest + 1 : h.length + 1;
      return length_normalised(h.log_probability, length,
                               config_.length_penalty) <= worst;
    });
  }

  // The best of a beam that is done; what was cut off where nothing has ended.
  std::vector<Hypothesis> finish(Beam& beam) const {
    std::vector<Hypothesis> found = std::move(beam.ended);
    if (found.empty() || config_.sample) {
      for (const Alive& h : beam.alive) {
        found.push_back(hypothesis(beam, h, false));
      }
    }
    keep_best(found, config_.n_best);
    return found;
  }

  Hypothesis hypothesis(const Beam& beam, const Alive& h, bool ended) const {
    const size_t keys =
        chains_.has_weights() ? sources_[beam.source].ids.size() + 1 : 0;
    Hypothesis result = chains_.hypothesis(h.node, h.length, ended, keys);
    rank(result, keys, config_);
    return result;
  }

  // Beams that are done leave the batch at once.
  void keep_unfinished() {
    std::vector<int> rows;
    size_t next = 0;
    for (const Beam& beam : beams_) {
      const auto first = rows_.begin() + static_cast<int64_t>(next);
      if (!beam.done) {
        rows.insert(rows.end(), first, first + std::ssize(beam.alive));
      }
      next += beam.alive.size();
    }
    std::erase_if(beams_, [](const Beam& beam) { return beam.done; });
    if (!beams_.empty()) scorer_.keep(rows);
  }

  const int begin_, end_, longest_;
  const std::span<const SearchSource> sources_;
  const SearchConfig& config_;
  SearchWatch* const watch_;
  const Restriction restriction_;
  const NoGrad none_;
  Scorer scorer_;
  std::vector<Beam> beams_;
  WordChains chains_;
  std::vector<int64_t> row_weights_;  // where those of each row begin
  std::vector<int> rows_;  // of the scorer, that alive hypotheses go on from
};

}  // namespace

std::vector<std::vector<Hypothesis>> search(
    std::span<const Seq2Seq* const> models,
    std::span<const SearchSource> sources, const SearchConfig& config,
    SearchWatch* watch) {
  check_search_config(config);
  if (sources.empty()) return {};
  if (config.coverage_penalty > 0 && !config.want_weights) {
    SearchConfig with_weights = config;
    with_weights.want_weights = true;
    return Search(models, sources, with_weights, watch).run();
  }
  return Search(models, sources, config, watch).run();
}

}  // namespace fovea
