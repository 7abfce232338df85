#include "fovea/attend/reinforce.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

constexpr double kLeast = 1e-8;  // guards logarithms and divisions

// The weights of one row and head, and the share of each.
struct RowShares {
  RowShares(const Tensor& weights, const Pairs& pairs, int64_t m, int head)
      : begin(pairs.begin(m, head)), end(begin + pairs.row(m).keys) {
    for (int64_t i = begin; i < end; ++i) total += weights[i];
    total = std::max(total, kLeast);
  }
  double share(const Tensor& weights, int64_t i) const {
    return std::max(weights[i] / total, kLeast);
  }
  double entropy(const Tensor& weights) const {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) {
      const double p = weights[i] / total;
      if (p > 0) sum -= p * std::log(p);
    }
    return sum;
  }

  int64_t begin, end;
  double total = 0;
};

// The cost of each row of a choice less the baseline.
Tensor advantages(const Choice& choice, const Tensor& costs) {
  const int sequences = choice.of.count(), rows = choice.of.total();
  const bool by_sequence = costs.size() == sequences;
  check(by_sequence || costs.size() == rows, "reinforce: ", costs.size(),
        " costs for ", sequences, " sequences of ", rows, " rows in ",
        choice.name);
  Tensor y({rows});
  for (int b = 0; b < sequences; ++b) {
    for (int m = choice.of.begin(b); m < choice.of.end(b); ++m) {
      y[m] = costs[by_sequence ? b : m] - choice.baseline[0];
    }
  }
  return y;
}

Update moved_baseline(const Tensor& baseline, const Tensor& costs,
                      float decay) {
  const auto all = costs.span();
  const double mean = std::accumulate(all.begin(), all.end(), 0.0) /
                      std::max<double>(1, static_cast<double>(all.size()));
  Tensor value({1});
  value[0] = decay * baseline[0] + (1 - decay) * static_cast<float>(mean);
  return {baseline, value};
}

}  // namespace

Var log_probabilities(const Var& weights, const Chosen& chosen,
                      const Pairs& pairs) {
  const Tensor w = weights.value();
  const int heads = pairs.heads();
  Tensor y = Tensor::zeros({pairs.rows()});
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    for (int h = 0; h < heads; ++h) {
      const int64_t i = chosen[m * heads + h];
      if (i < 0) continue;
      y[m] +=
          static_cast<float>(std::log(RowShares(w, pairs, m, h).share(w, i)));
    }
  }
  // d log(w_i / total) is 1 / w_i for the one chosen, less 1 / total for all.
  return record(y, {weights}, [=](const Tensor& dy, Grads dx) {
    const Tensor dw = dx[0].sum();
    for (int64_t m = 0; m < pairs.rows(); ++m) {
      for (int h = 0; h < heads; ++h) {
        const int64_t i = chosen[m * heads + h];
        if (i < 0) continue;
        const RowShares row(w, pairs, m, h);
        const auto all = static_cast<float>(dy[m] / row.total);
        for (int64_t j = row.begin; j < row.end; ++j) dw[j] -= all;
        dw[i] += static_cast<float>(all / row.share(w, i));
      }
    }
  });
}

Var entropies(const Var& weights, const Pairs& pairs) {
  const Tensor w = weights.value();
  Tensor y = Tensor::zeros({pairs.rows()});
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    for (int h = 0; h < pairs.heads(); ++h) {
      y[m] += static_cast<float>(RowShares(w, pairs, m, h).entropy(w));
    }
  }
  // With p_i = w_i / total: dH / dw_i = -(log p_i + H) / total.
  return record(y, {weights}, [=](const Tensor& dy, Grads dx) {
    const Tensor dw = dx[0].sum();
    for (int64_t m = 0; m < pairs.rows(); ++m) {
      for (int h = 0; h < pairs.heads(); ++h) {
        const RowShares row(w, pairs, m, h);
        const double entropy = row.entropy(w);
        for (int64_t j = row.begin; j < row.end; ++j) {
          const double slope = std::log(row.share(w, j)) + entropy;
          dw[j] -= static_cast<float>(dy[m] * slope / row.total);
        }
      }
    }
  });
}

Var reinforce_loss(std::span<const Choice> choices, const Tensor& costs,
                   const ReinforceConfig& config,
                   std::vector<Update>* updates) {
  Var loss = Tensor::zeros({});
  std::vector<const float*> moved;
  for (const Choice& choice : choices) {
    const Var reward = sum(choice.log_probability * advantages(choice, costs));
    const auto count = static_cast<float>(std::max(1, choice.of.count()));
    loss = loss + scale(reward, config.weight / count) -
           scale(sum(choice.entropy), config.entropy / count);
    const float* buffer = choice.baseline.data();
    if (!updates || std::ranges::find(moved, buffer) != moved.end()) continue;
    updates->push_back(moved_baseline(choice.baseline, costs, config.decay));
    moved.push_back(buffer);
  }
  return loss;
}

}  // namespace fovea
