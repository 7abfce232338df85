#include "fovea/data/aligner_steps.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

// The logarithmic derivative of the gamma function, for x > 0.
double digamma(double x) {
  double result = 0;
  for (; x < 7; ++x) result -= 1 / x;
  const double inverse = 1 / (x * x);
  return result + std::log(x) - 0.5 / x -
         inverse * (1.0 / 12 - inverse * (1.0 / 120 - inverse / 252));
}

// Probabilities of a row from its counts, which are 0 again. With a prior
// (MacKay 1997) small counts get less than their share, which makes rare words
// pick few translations.
class RowUpdate {
 public:
  RowUpdate(TranslationTable& table, std::optional<double> alpha)
      : table_(table), alpha_(alpha) {}

  void run(const TranslationTable::Row& row) const {
    double sum = 0;
    for (const auto& slot : table_.slots(row)) sum += slot.count;
    if (sum <= 0) return;  // no word comes from none if that is impossible
    const double log_sum =
        alpha_ ? digamma(sum + *alpha_ * table_.target_words()) : 0;
    for (auto& slot : table_.slots(row)) {
      if (slot.word < 0) continue;
      const double p =
          alpha_ ? with_prior(slot.count + *alpha_, log_sum) : slot.count / sum;
      slot.probability = std::max(static_cast<float>(p), kLeastProbability);
      slot.count = 0;
    }
  }

 private:
  static double with_prior(double count, double log_sum) {
    // Most counts are tiny; digamma(x) < 1.1 - 1 / x for those below 1.
    static const double kLeast = std::log(kLeastProbability);
    if (count < 1 && 1.1 - 1 / count - log_sum < kLeast) return 0;
    return std::exp(digamma(count) - log_sum);
  }

  TranslationTable& table_;
  std::optional<double> alpha_;
};

}  // namespace

std::vector<int64_t> usable_pairs(const Sentences& source,
                                  const Sentences& target, size_t most) {
  check(source.size() == target.size(), "aligner: ", source.size(),
        " source sentences but ", target.size(), " target sentences");
  std::vector<int64_t> pairs;
  for (int64_t i = 0; i < source.size(); ++i) {
    const size_t n = source[i].size(), m = target[i].size();
    if (n > 0 && m > 0 && n <= most && m <= most) pairs.push_back(i);
  }
  return pairs;
}

void maximise(TranslationTable& table, std::optional<double> alpha) {
  const RowUpdate update(table, alpha);
  parallel_for(table.row_count(), 256, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const auto& row = table.row(static_cast<int>(r) - 1);
      if (row.words > 0) update.run(row);
    }
  });
}

}  // namespace fovea
