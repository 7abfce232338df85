#include "fovea/attend/doubly_stochastic.h"

#include "support/check_op.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using testing::Doubles;

// Every row of a query sequence meets all keys of the key sequence.
Pairs full_pairs(const std::vector<int>& queries, const Segments& keys,
                 int heads) {
  std::vector<Pairs::Row> rows;
  for (int b = 0; b < keys.count(); ++b) {
    for (int i = 0; i < queries[b]; ++i) {
      rows.push_back({.key = keys.begin(b), .keys = keys.length(b)});
    }
  }
  return {rows, heads, heads};
}

// SPEC B14: column sums (1.5, 0.5, 1.0).
TEST(DoublyStochastic, GivesTheNumberOfTheSpecification) {
  const Segments keys = Segments::from_lengths(std::vector<int>{3});
  const Var w = Var::parameter(Tensor::of({6}, {0.9f, 0.1f, 0, 0.6f, 0.4f, 1}));
  const Var loss = doubly_stochastic_loss({w, full_pairs({2}, keys, 1)}, keys);
  EXPECT_NEAR(loss.value().item(), 0.5, 1e-6);
  loss.backward();
  // -2 (1 - sum) at every step.
  EXPECT_TRUE(testing::close(w.grad(), Doubles{1, -1, 0, 1, -1, 0}, 1e-5));
}

TEST(DoublyStochastic, IsTheMeanOverSequencesAndHeadsWithItsGradient) {
  const std::vector<int> queries = {2, 0, 3, 1}, lengths = {3, 2, 1, 0};
  const Segments keys = Segments::from_lengths(lengths);
  const Pairs pairs = full_pairs(queries, keys, 2);
  const auto twin = [&](const std::vector<Doubles>& in) {
    Doubles sums(keys.total() * 2, 0.0);
    for (int64_t m = 0; m < pairs.rows(); ++m) {
      for (int h = 0; h < 2; ++h) {
        for (int j = 0; j < pairs.row(m).keys; ++j) {
          sums[(pairs.row(m).key + j) * 2 + h] += in[0][pairs.begin(m, h) + j];
        }
      }
    }
    double loss = 0;
    for (double s : sums) loss += (1 - s) * (1 - s);
    return Doubles{loss / 4 / 2};
  };
  testing::check_op(
      [&](const auto& in) {
        return doubly_stochastic_loss({in[0], pairs}, keys);
      },
      twin, {testing::random_tensor({pairs.size()}, 3)});
}

TEST(DoublyStochastic, IsZeroWithoutSequences) {
  EXPECT_EQ(
      doubly_stochastic_loss({Tensor({0}), Pairs()}, Segments()).value().item(),
      0.0f);
}

}  // namespace
}  // namespace fovea
