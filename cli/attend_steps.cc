// The six steps of self-attention with their numbers.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <span>

#include "cli/attend_lab.h"
#include "fovea/attend/registry.h"
#include "fovea/autograd/linear.h"
#include "fovea/base/check.h"
#include "fovea/explain/label.h"

namespace fovea::cli {
namespace {

// Rows after the projection of this name, or as they are without one.
Tensor projected(Composed& attention, const std::string& name,
                 const Tensor& rows) {
  Var weight, bias;
  const Params params(attention);
  for (const auto& p : params.parameters()) {
    if (p.name == name + ".weight") weight = *p.value;
    if (p.name == name + ".bias") bias = *p.value;
  }
  return weight ? linear(rows, weight, bias).value() : rows;
}

// Columns of one head.
std::span<const float> head_of(const Tensor& rows, int64_t row, int head,
                               int heads) {
  const int64_t size = rows.cols() / heads;
  return std::span<const float>(rows.data() + row * rows.cols() + head * size,
                                size);
}

void print_vector(const std::string& name, std::span<const float> x) {
  constexpr size_t kMost = 8;
  std::cout << "   " << label_text(name) << " (";
  for (size_t i = 0; i < x.size() && i < kMost; ++i) {
    std::cout << (i ? ", " : "") << short_number(x[i]);
  }
  std::cout << (x.size() > kMost ? ", ...)" : ")") << "\n";
}

void print_row(const std::string& name, const std::vector<double>& x,
               const std::vector<std::string>& keys) {
  std::cout << "   " << name << "\n";
  for (size_t j = 0; j < x.size(); ++j) {
    std::cout << "     " << std::left << std::setw(10) << short_number(x[j])
              << " " << label_text(keys[j]) << "\n";
  }
}

std::vector<double> softmax_of(const std::vector<double>& scores) {
  double top = scores.empty() ? 0 : scores[0], sum = 0;
  for (double s : scores) top = std::max(top, s);
  std::vector<double> weights;
  for (double s : scores) weights.push_back(std::exp(s - top));
  for (double w : weights) sum += w;
  for (double& w : weights) w /= sum;
  return weights;
}

// Prints each value of a head times its weight; returns their sum.
std::vector<float> weighed_sum(const Tensor& values,
                               const std::vector<double>& weights, int head,
                               int heads,
                               const std::vector<std::string>& names) {
  std::vector<float> total(values.cols() / heads);
  for (int64_t j = 0; j < values.dim(0); ++j) {
    const auto value = head_of(values, j, head, heads);
    std::vector<float> part(value.begin(), value.end());
    for (size_t d = 0; d < part.size(); ++d) {
      part[d] *= static_cast<float>(weights[j]);
      total[d] += part[d];
    }
    print_vector(names[j], part);
  }
  return total;
}

void check_has_steps(const ComposedConfig& c) {
  check_usage(c.score == "scaled_dot", "--steps and score ", c.score,
              " do not go together: the six steps are those of scaled_dot");
  check_usage(c.extent == "global" && c.select == "soft" &&
                  c.position == "none" && !c.causal && !c.exclude_self &&
                  (c.normaliser == "auto" || c.normaliser == "softmax"),
              "--steps shows plain scaled_dot attention: leave out the other "
              "parts");
}

}  // namespace

void show_steps(const Lab& lab, int query, int head) {
  const ComposedConfig& c = lab.config;
  check_has_steps(c);
  Composed attention(c, sizes_of(lab), RandomKey(lab.seed));
  const NoGrad no_grad;
  const int kv_heads = c.kv_heads ? c.kv_heads : c.heads;
  const int kv_head = head / (c.heads / kv_heads);
  const Tensor q = projected(attention, "query", lab.queries.rows);
  const Tensor k = projected(attention, "key", lab.keys.rows);
  const Tensor v = projected(attention, "value", lab.values.rows);
  const auto own = head_of(q, query, head, c.heads);
  const double divisor =
      c.scale != 0 ? 1 / c.scale : std::sqrt(static_cast<double>(own.size()));

  std::cout << "1. project: the query of '"
            << label_text(lab.queries.names[query])
            << "', a key and a value of each word"
            << (c.heads > 1 ? join(" (head ", head, ")") : "") << "\n";
  print_vector("q", own);
  std::vector<double> raw, scaled;
  for (int64_t j = 0; j < k.dim(0); ++j) {
    const auto key = head_of(k, j, kv_head, kv_heads);
    print_vector("k " + lab.keys.names[j], key);
    print_vector("v " + lab.keys.names[j], head_of(v, j, kv_head, kv_heads));
    double sum = 0;
    for (size_t d = 0; d < own.size(); ++d) sum += double{own[d]} * key[d];
    raw.push_back(sum);
    scaled.push_back(sum / divisor / c.temperature);
  }
  std::cout << "2. score\n";
  print_row("q.k", raw, lab.keys.names);
  std::cout << "3. scale\n";
  print_row(join("q.k / ", short_number(divisor * c.temperature)), scaled,
            lab.keys.names);
  const std::vector<double> weights = softmax_of(scaled);
  std::cout << "4. softmax\n";
  print_row("weight", weights, lab.keys.names);
  std::cout << "5. weigh the values\n";
  const std::vector<float> total =
      weighed_sum(v, weights, kv_head, kv_heads, lab.keys.names);
  std::cout << "6. sum\n";
  print_vector(lab.queries.names[query], total);
}

}  // namespace fovea::cli
