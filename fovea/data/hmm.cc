#include "fovea/data/hmm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fovea {
namespace {

constexpr double kLeastJump = 1e-7, kTiny = 1e-300;

// Forward and backward over the places of one pair. Place a stands for both
// "from word a" and "from none, after word a".
class ForwardBackward {
 public:
  explicit ForwardBackward(const HmmPair& pair)
      : pair_(pair),
        n_(pair.of.source),
        m_(pair.of.target),
        moves_(static_cast<size_t>(n_) * n_),
        moved_(moves_.size()),
        first_(n_),
        from_word_(static_cast<size_t>(m_) * n_),
        from_none_(from_word_.size()),
        ahead_(n_, 1) {
    result_.links.resize(static_cast<size_t>(n_ + 1) * m_);
    result_.jumps.resize(Jumps::kSlots);
    fill_moves();
  }

  HmmPosterior run() {
    for (int j = 0; j < m_; ++j) forward(j);
    for (int j = m_ - 1; j >= 0; --j) {
      link(j);
      if (j > 0) back(j);
    }
    count_jumps();
    return std::move(result_);
  }

 private:
  double word(int i, int j) const { return pair_.words[i * m_ + j]; }

  void fill_moves() {
    const double rest = 1 - pair_.null_probability;
    for (int a = 0; a < n_; ++a) {
      double* row = &moves_[static_cast<size_t>(a) * n_];
      for (int b = 0; b < n_; ++b) row[b] = pair_.jumps[b - a];
      const double sum = std::accumulate(row, row + n_, 0.0);
      for (int b = 0; b < n_; ++b) row[b] *= rest / sum;
    }
    for (int b = 0; b < n_; ++b) first_[b] = pair_.jumps[b + 1];
    const double sum = std::accumulate(first_.begin(), first_.end(), 0.0);
    for (double& p : first_) p /= sum;
  }

  void forward(int j) {
    const double none = pair_.null_probability;
    double* words = &from_word_[static_cast<size_t>(j) * n_];
    double* nones = &from_none_[static_cast<size_t>(j) * n_];
    for (int a = 0; a < n_; ++a) {
      if (j == 0) {
        words[a] = (1 - none) * first_[a];
        nones[a] = none * first_[a];
        continue;
      }
      const double before = words[a - n_] + nones[a - n_];
      const double* move = &moves_[static_cast<size_t>(a) * n_];
      for (int b = 0; b < n_; ++b) words[b] += before * move[b];
      nones[a] = before * none;
    }
    double sum = 0;
    for (int a = 0; a < n_; ++a) {
      words[a] *= word(a + 1, j);
      nones[a] *= word(0, j);
      sum += words[a] + nones[a];
    }
    sum = std::max(sum, kTiny);
    result_.log_likelihood += std::log(sum);
    for (int a = 0; a < n_; ++a) {
      words[a] /= sum;
      nones[a] /= sum;
    }
  }

  // ahead_ has what follows target word j, for each place.
  void link(int j) {
    const double* words = &from_word_[static_cast<size_t>(j) * n_];
    const double* nones = &from_none_[static_cast<size_t>(j) * n_];
    double sum = 0, none = 0;
    for (int a = 0; a < n_; ++a) {
      sum += (words[a] + nones[a]) * ahead_[a];
      none += nones[a] * ahead_[a];
    }
    sum = std::max(sum, kTiny);
    for (int a = 0; a < n_; ++a) {
      result_.links[(a + 1) * m_ + j] =
          static_cast<float>(words[a] * ahead_[a] / sum);
    }
    result_.links[j] = static_cast<float>(none / sum);
  }

  // Goes from word j to the one before it, and counts the moves between them.
  void back(int j) {
    const double none = pair_.null_probability * word(0, j);
    const double* words = &from_word_[static_cast<size_t>(j - 1) * n_];
    const double* nones = &from_none_[static_cast<size_t>(j - 1) * n_];
    std::vector<double> next(n_), after(n_);
    for (int b = 0; b < n_; ++b) next[b] = ahead_[b] * word(b + 1, j);
    double sum = 0, most = 0;
    for (int a = 0; a < n_; ++a) {
      const double* move = &moves_[static_cast<size_t>(a) * n_];
      double all = none * ahead_[a];
      for (int b = 0; b < n_; ++b) all += move[b] * next[b];
      after[a] = all;
      most = std::max(most, all);
      sum += (words[a] + nones[a]) * all;
    }
    sum = std::max(sum, kTiny);
    for (int a = 0; a < n_; ++a) {
      const double here = (words[a] + nones[a]) / sum;
      double* moved = &moved_[static_cast<size_t>(a) * n_];
      for (int b = 0; b < n_; ++b) moved[b] += here * next[b];
    }
    most = std::max(most, kTiny);
    for (int a = 0; a < n_; ++a) ahead_[a] = after[a] / most;
  }

  void count_jumps() {
    for (int b = 0; b < n_; ++b) {
      result_.jumps[Jumps::slot(b + 1)] += result_.links[(b + 1) * m_];
    }
    for (int a = 0; a < n_; ++a) {
      const size_t row = static_cast<size_t>(a) * n_;
      for (int b = 0; b < n_; ++b) {
        result_.jumps[Jumps::slot(b - a)] += moves_[row + b] * moved_[row + b];
      }
    }
  }

  const HmmPair& pair_;
  const int n_, m_;
  std::vector<double> moves_;  // [n, n]: from place to place
  std::vector<double> moved_;  // how often, over how likely
  std::vector<double> first_;
  std::vector<double> from_word_, from_none_;  // [m, n]
  std::vector<double> ahead_;
  HmmPosterior result_;
};

}  // namespace

int Jumps::slot(int jump) { return std::clamp(jump, -kMost, kMost) + kMost; }

void Jumps::fit(std::span<const double> counts) {
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (sum <= 0) return;
  for (int i = 0; i < kSlots; ++i) {
    weights_[i] = std::max(kLeastJump, counts[i] / sum);
  }
}

HmmPosterior hmm_posterior(const HmmPair& pair) {
  return ForwardBackward(pair).run();
}

}  // namespace fovea
