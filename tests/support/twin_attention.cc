#include "support/twin_attention.h"

#include <cmath>

namespace fovea::testing {

using kernels::AttentionSpan;
using kernels::ScoreAt;

int64_t TwinAttention::at_q(int b, int i, int head) const {
  return (int64_t{spans[b].query + i} * options.heads + head) * k;
}

int64_t TwinAttention::at_k(int b, int j, int head) const {
  const int shared = options.heads / options.kv_heads;
  return (int64_t{spans[b].key + j} * options.kv_heads + head / shared) * k;
}

int64_t TwinAttention::at_v(int b, int j, int head) const {
  const int shared = options.heads / options.kv_heads;
  return (int64_t{spans[b].key + j} * options.kv_heads + head / shared) * v;
}

ScoreAt TwinAttention::at(int b, int head, int i, int j) const {
  const AttentionSpan& span = spans[b];
  return {b, head, span.position + i, j, span.query + i, span.key + j};
}

bool TwinAttention::sees(int b, int head, int i, int j) const {
  const int p = spans[b].position + i;
  if (options.causal && j > p) return false;
  if (options.window_left >= 0 && j < p - options.window_left) return false;
  if (options.window_right >= 0 && j > p + options.window_right) return false;
  return !mask || mask(at(b, head, i, j));
}

double TwinAttention::score(const std::vector<Doubles>& inputs,
                            const ScoreAt& at) const {
  const int b = at.sequence, i = at.query - spans[b].position;
  double dot = 0;
  for (int c = 0; c < k; ++c) {
    dot += inputs[0][at_q(b, i, at.head) + c] *
           inputs[1][at_k(b, at.key, at.head) + c];
  }
  const double slope = options.alibi.empty() ? 0 : options.alibi[at.head];
  return dot * options.scale - slope * std::abs(at.query - at.key);
}

double TwinAttention::changed(double score, const ScoreAt& at) const {
  return change ? change(score, at) : score;
}

// Not by dual numbers: those are tested with this.
double TwinAttention::slope(double score, const ScoreAt& at) const {
  constexpr double kStep = 1e-6;
  if (!change) return 1;
  return (change(score + kStep, at) - change(score - kStep, at)) / (2 * kStep);
}

double TwinAttention::kept(int b, int head, int i, int j) const {
  if (options.dropout <= 0) return 1;
  const double rate = options.dropout;
  const RandomKey key = options.key.with(uint64_t(b)).with(uint64_t(head));
  const uint32_t bits = random_bits(key, uint32_t(i * spans[b].keys + j));
  return bits >= rate * 4294967296.0 ? 1 / (1 - rate) : 0;
}

Doubles TwinAttention::softmax_row(const std::vector<Doubles>& inputs, int b,
                                   int head, int i) const {
  const AttentionSpan& span = spans[b];
  Doubles e(span.keys), p(span.keys, 0.0);
  double top = -INFINITY, sum = 0;
  for (int j = 0; j < span.keys; ++j) {
    if (!sees(b, head, i, j)) continue;
    const ScoreAt place = at(b, head, i, j);
    e[j] = changed(score(inputs, place), place);
    top = std::max(top, e[j]);
  }
  for (int j = 0; j < span.keys; ++j) {
    if (sees(b, head, i, j)) sum += p[j] = std::exp(e[j] - top);
  }
  for (double& x : p) x = sum > 0 ? x / sum : 0;
  return p;
}

Doubles TwinAttention::context(const std::vector<Doubles>& inputs) const {
  Doubles out(inputs[0].size() / k * v, 0.0);
  for (size_t b = 0; b < spans.size(); ++b) {
    for (int h = 0; h < options.heads; ++h) {
      for (int i = 0; i < spans[b].queries; ++i) {
        const Doubles p = softmax_row(inputs, b, h, i);
        double* o = &out[at_q(b, i, h) / k * v];
        for (int j = 0; j < spans[b].keys; ++j) {
          const double weight = p[j] * kept(b, h, i, j);
          for (int c = 0; c < v; ++c) {
            o[c] += weight * inputs[2][at_v(b, j, h) + c];
          }
        }
      }
    }
  }
  return out;
}

Doubles TwinAttention::weights(const std::vector<Doubles>& inputs,
                               const std::vector<int>& heads) const {
  Doubles all;
  for (size_t b = 0; b < spans.size(); ++b) {
    for (int h : heads) {
      for (int i = 0; i < spans[b].queries; ++i) {
        const Doubles p = softmax_row(inputs, b, h, i);
        all.insert(all.end(), p.begin(), p.end());
      }
    }
  }
  return all;
}

std::vector<Doubles> TwinAttention::gradient(const std::vector<Doubles>& inputs,
                                             const Doubles& dout) const {
  std::vector<Doubles> grads;
  for (const Doubles& x : inputs) grads.emplace_back(x.size(), 0.0);
  for (size_t b = 0; b < spans.size(); ++b) {
    for (int h = 0; h < options.heads; ++h) {
      for (int i = 0; i < spans[b].queries; ++i) {
        const int keys = spans[b].keys;
        const int64_t row = at_q(b, i, h);
        const Doubles p = softmax_row(inputs, b, h, i);
        Doubles dp(keys);
        double mean = 0;
        for (int j = 0; j < keys; ++j) {
          const double keep = kept(b, h, i, j);
          double dot = 0;
          for (int c = 0; c < v; ++c) {
            const double d = dout[row / k * v + c];
            dot += d * inputs[2][at_v(b, j, h) + c];
            grads[2][at_v(b, j, h) + c] += p[j] * keep * d;
          }
          dp[j] = dot * keep;
          mean += p[j] * dp[j];
        }
        for (int j = 0; j < keys; ++j) {
          if (p[j] == 0) continue;
          const ScoreAt place = at(b, h, i, j);
          const double de = p[j] * (dp[j] - mean) * options.scale *
                            slope(score(inputs, place), place);
          for (int c = 0; c < k; ++c) {
            grads[0][row + c] += de * inputs[1][at_k(b, j, h) + c];
            grads[1][at_k(b, j, h) + c] += de * inputs[0][row + c];
          }
        }
      }
    }
  }
  return grads;
}

}  // namespace fovea::testing
