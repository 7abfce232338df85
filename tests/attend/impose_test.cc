#include "fovea/attend/impose.h"

#include <algorithm>

#include "fovea/attend/registry.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

Segments lengths(std::vector<int> of) { return Segments::from_lengths(of); }

class Imposing : public ::testing::Test {
 protected:
  Imposing() {
    ComposedConfig config;
    config.heads = 2;
    config.out_proj = config.value_proj = false;
    attention_ = make_attention(config, {.query = 8}, RandomKey(1));
    pass_.impose = &impose_;
  }
  Attended run(bool want_weights = false) {
    const Pass pass = pass_.in("layer");
    const Memory memory = attention_->remember({.keys = x_, .of = of_}, pass);
    return attention_->attend(
        {.rows = x_, .of = of_, .want_weights = want_weights}, memory, {},
        pass);
  }

  const Segments of_ = lengths({4, 3});
  const Var x_{random_tensor({7, 8}, 1)};
  std::unique_ptr<Attention> attention_;
  Impose impose_;
  Pass pass_;
};

TEST_F(Imposing, UniformWeightsGiveTheMeanOfTheValues) {
  impose_.weights("layer", [](const Var&, const Pairs& pairs) {
    return uniform_weights(pairs);
  });
  const Tensor out = run().context.value();
  const Tensor mean = segment_mean(x_, of_).value();
  EXPECT_TRUE(
      close(out.row_range(2, 3).span(), mean.row_range(0, 1).span(), 1e-6));
  EXPECT_TRUE(
      close(out.row_range(5, 6).span(), mean.row_range(1, 2).span(), 1e-6));
}

TEST_F(Imposing, FrozenWeightsGiveTheSameResultAgain) {
  const Attended own = run(true);
  impose_.weights("layer", frozen(own.weights.values.value()));
  EXPECT_TRUE(
      close(run().context.value().span(), own.context.value().span(), 1e-6));
  impose_.weights("layer", frozen(Tensor::zeros({3})));
  EXPECT_THROW(run(), Error);
}

TEST_F(Imposing, PermutedWeightsAreTheSameNumbersInEachRow) {
  const Attended own = run(true);
  impose_.weights("layer", [](const Var& w, const Pairs& pairs) {
    return permuted_weights(w, pairs, RandomKey(3));
  });
  const Attended other = run(true);
  EXPECT_FALSE(same_bits(own.weights.values.value().span(),
                         other.weights.values.value().span()));
  const Segments& rows = own.weights.pairs.segments();
  for (int i = 0; i < rows.count(); ++i) {
    const auto sorted = [&](const Attended& a) {
      const float* data = a.weights.values.value().data();
      std::vector<float> row(data + rows.begin(i), data + rows.end(i));
      std::sort(row.begin(), row.end());
      return row;
    };
    EXPECT_EQ(sorted(own), sorted(other));
  }
}

TEST_F(Imposing, WeightsCanBeOptimisedByGradient) {
  const int64_t count = run(true).weights.pairs.size();
  const Var free = Var::parameter(Tensor::zeros({count}));
  impose_.weights("layer", [&](const Var&, const Pairs& pairs) {
    return softmax(free, pairs.segments());
  });
  // Makes the first column of the context large: only the weights can do it.
  const auto loss = [&] {
    Tensor pick = Tensor::zeros({7, 8});
    for (int i = 0; i < 7; ++i) pick[i * 8] = -1.0f;
    return std::pair(run().context, pick);
  };
  const auto total = [](const Tensor& t) {
    double sum = 0;
    for (int i = 0; i < 7; ++i) sum += t[i * 8];
    return sum;
  };
  const double before = total(loss().first.value());
  for (int step = 0; step < 50; ++step) {
    const auto [context, direction] = loss();
    context.backward(direction);
    const Tensor g = free.grad();
    for (int64_t i = 0; i < count; ++i) free.value()[i] -= g[i];
    free.clear_grad();
  }
  EXPECT_GT(total(loss().first.value()), before + 1.0);
}

TEST_F(Imposing, AMaskedHeadGivesNothing) {
  const Tensor own = run().context.value();
  impose_.head_mask("layer", {0.0f, 1.0f});
  const Tensor out = run().context.value();
  for (int i = 0; i < 7; ++i) {
    for (int c = 0; c < 8; ++c) {
      EXPECT_EQ(out[i * 8 + c], c < 4 ? 0.0f : own[i * 8 + c]);
    }
  }
  impose_.head_mask("layer", {1.0f});
  EXPECT_THROW(run(), Error);
}

TEST_F(Imposing, OtherLayersAreLeftAlone) {
  const Tensor own = run().context.value();
  impose_.weights("another", [](const Var&, const Pairs& pairs) {
    return uniform_weights(pairs);
  });
  EXPECT_TRUE(same_bits(run().context.value().span(), own.span()));
}

}  // namespace
}  // namespace fovea
