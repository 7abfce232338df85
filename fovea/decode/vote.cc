#include "fovea/decode/vote.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/softmax.h"

namespace fovea {

Tensor own_columns(const Tensor& of_all,
                   std::span<const std::span<const int>> columns) {
  size_t widest = 0;
  for (const auto& own : columns) widest = std::max(widest, own.size());
  Tensor result({of_all.rows(), static_cast<int64_t>(widest)});
  own_columns(of_all, columns, result);
  return result;
}

void own_columns(const Tensor& of_all,
                 std::span<const std::span<const int>> columns, Tensor to) {
  for (int64_t r = 0; r < to.rows(); ++r) {
    const std::span<const int> own = columns[r];
    const float* scores = of_all.data() + r * of_all.cols();
    float* row = to.data() + r * to.cols();
    for (size_t i = 0; i < own.size(); ++i) row[i] = scores[own[i]];
    std::fill(row + own.size(), row + to.cols(),
              -std::numeric_limits<float>::infinity());
  }
}

void Vote::add(const Tensor& scores) {
  const Var said = models_ == 1 ? Var(scores) : softmax(Var(scores));
  sum_ = sum_ ? sum_ + said : said;
}

Tensor Vote::result() const {
  if (models_ == 1) return sum_.value();
  const float share = 1.0f / static_cast<float>(models_);
  Tensor mean = sum_.value().clone();
  for (float& x : mean.span()) x = std::log(x * share);
  return mean;
}

}  // namespace fovea
