#include "fovea/decode/beam.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"
#include "fovea/kernels/topk.h"

namespace fovea {
namespace {

constexpr int kWidest = kernels::kMostTopK / 2;

// The search for one sentence.
struct Beam {
  int source = 0;   // index of the sentence
  int longest = 0;  // words at most
  std::vector<Hypothesis> alive, finished;
  bool done = false;
};

// A word that goes on from an alive hypothesis.
struct Candidate {
  int parent;  // among the beam's alive ones
  int word;
  float log_probability;
};

bool better(const Hypothesis& a, const Hypothesis& b) {
  return a.score > b.score;
}

void keep_best(std::vector<Hypothesis>& some, int count) {
  std::stable_sort(some.begin(), some.end(), better);
  if (std::ssize(some) > count) some.resize(count);
}

class Search {
 public:
  Search(const Seq2Seq& model, const Ids& source, const BeamConfig& config)
      : model_(model), config_(config) {
    check_usage(config.beam_size >= 1 && config.beam_size <= kWidest,
                "--beam-size ", config.beam_size, ": give a number from 1 to ",
                kWidest);
    const Encoded encoded = model.encode(source, pass_);
    state_ = model.start(encoded, pass_);
    const LengthLimit limit{.most = config.max_length};
    for (int b = 0; b < source.of.count(); ++b) {
      Beam beam;
      beam.source = b;
      beam.longest = limit.of(std::max(0, source.of.length(b) - 1));
      beam.alive.emplace_back();
      beams_.push_back(std::move(beam));
    }
  }

  std::vector<std::vector<Hypothesis>> run() {
    std::vector<std::vector<Hypothesis>> results(beams_.size());
    while (!beams_.empty()) {
      grow();
      for (Beam& beam : beams_) {
        if (beam.done) results[beam.source] = std::move(beam.finished);
      }
      keep_unfinished();
    }
    return results;
  }

 private:
  // One more word for all alive hypotheses.
  void grow() {
    std::vector<int> last, groups{0};
    std::vector<float> bias;
    for (const Beam& beam : beams_) {
      for (const Hypothesis& h : beam.alive) {
        last.push_back(h.ids.empty() ? model_.begin() : h.ids.back());
        bias.push_back(h.log_probability);
      }
      groups.push_back(static_cast<int>(last.size()));
    }
    Step step = model_.step(std::move(state_), last, pass_);
    const Tensor scores = log_softmax(model_.readout(step.hidden)).value();
    const int k = std::min<int64_t>(2 * config_.beam_size, scores.cols());
    std::vector<float> values(beams_.size() * k);
    std::vector<int> indices(beams_.size() * k);
    kernels::topk_groups({scores.data(), scores.rows(), scores.cols()}, groups,
                         bias, {k, values, indices});
    parents_.clear();
    for (size_t i = 0; i < beams_.size(); ++i) {
      std::vector<Candidate> best;
      for (size_t j = i * k; j < (i + 1) * k; ++j) {
        if (indices[j] < 0) break;
        const int cols = static_cast<int>(scores.cols());
        best.push_back({indices[j] / cols, indices[j] % cols, values[j]});
      }
      extend(beams_[i], best, groups[i]);
    }
    state_ = std::move(step.state);
  }

  // Chooses among the candidates, best first. Ended ones join the finished.
  void extend(Beam& beam, const std::vector<Candidate>& best, int first_row) {
    const int width = config_.beam_size;
    std::vector<Hypothesis> next;
    for (size_t rank = 0; rank < best.size(); ++rank) {
      const Candidate& c = best[rank];
      Hypothesis h = beam.alive[c.parent];
      h.log_probability = c.log_probability;
      if (c.word == model_.end()) {
        if (static_cast<int>(rank) >= width) continue;
        h.finished = true;
        h.score = score(h);
        beam.finished.push_back(std::move(h));
      } else if (std::ssize(next) < width) {
        h.ids.push_back(c.word);
        h.score = score(h);
        next.push_back(std::move(h));
        parents_.push_back(first_row + c.parent);
      }
    }
    beam.alive = std::move(next);
    keep_best(beam.finished, width);
    finish(beam);
  }

  float score(const Hypothesis& h) const {
    return length_normalised(h.log_probability,
                             static_cast<int>(h.ids.size()) + h.finished,
                             config_.length_penalty);
  }

  void finish(Beam& beam) const {
    const bool cut = beam.alive.empty() ||
                     std::ssize(beam.alive.front().ids) >= beam.longest;
    beam.done = cut || cannot_improve(beam);
    if (cut && beam.finished.empty()) {
      beam.finished = beam.alive;
      keep_best(beam.finished, config_.beam_size);
    }
  }

  // The most that an alive hypothesis may still reach is its probability now
  // over the length that flatters it most.
  bool cannot_improve(const Beam& beam) const {
    if (std::ssize(beam.finished) < config_.beam_size) return false;
    float bound = -std::numeric_limits<float>::infinity();
    for (const Hypothesis& h : beam.alive) {
      const int length = config_.length_penalty > 0
                             ? beam.longest + 1
                             : static_cast<int>(h.ids.size()) + 1;
      bound = std::max(bound, length_normalised(h.log_probability, length,
                                                config_.length_penalty));
    }
    return bound <= beam.finished.back().score;
  }

  // Beams that are done leave the batch at once.
  void keep_unfinished() {
    std::vector<int> rows;
    size_t next = 0;
    for (Beam& beam : beams_) {
      const size_t alive = beam.alive.size();
      if (!beam.done) {
        rows.insert(rows.end(), parents_.begin() + next,
                    parents_.begin() + next + alive);
      }
      next += alive;
    }
    std::erase_if(beams_, [](const Beam& beam) { return beam.done; });
    if (!beams_.empty()) state_ = state_.select(rows);
  }

  const Seq2Seq& model_;
  const BeamConfig config_;
  const NoGrad none_;
  const Pass pass_{};
  State state_;
  std::vector<Beam> beams_;
  std::vector<int> parents_;  // state rows of the alive ones, after a step
};

}  // namespace

float length_normalised(double log_probability, int length, float alpha) {
  return static_cast<float>(log_probability /
                            std::pow((5.0 + length) / 6.0, alpha));
}

std::vector<std::vector<Hypothesis>> beam_search(const Seq2Seq& model,
                                                 const Ids& source,
                                                 const BeamConfig& config) {
  return Search(model, source, config).run();
}

}  // namespace fovea
