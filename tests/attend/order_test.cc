// SPEC C1: statements and questions that differ in their order alone. Without
// positions a model stays at chance; with any it learns them all.
#include <memory>
#include <vector>

#include "fovea/attend/registry.h"
#include "fovea/autograd/cross_entropy.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/optim.h"
#include "fovea/layers/init.h"
#include "support/compare.h"

namespace fovea {
namespace {

constexpr int kWidth = 16, kWords = 12, kLength = 6, kBatch = 64;
constexpr int kYou = 0, kAre = 1;  // "you are ..." or "are you ..."

struct Sentences {
  std::vector<int> ids, is_question;
  Segments of;
};

Sentences draw(RandomKey key) {
  Sentences s;
  for (uint32_t b = 0; b < kBatch; ++b) {
    const bool question = random_bits(key, b) & 1;
    s.is_question.push_back(question);
    s.ids.push_back(question ? kAre : kYou);
    s.ids.push_back(question ? kYou : kAre);
    for (uint32_t i = 2; i < kLength; ++i) {
      const uint32_t at = 1000 + b * kLength + i;
      s.ids.push_back(2 + static_cast<int>(random_below(key, at, kWords - 2)));
    }
  }
  s.of = Segments::from_lengths(std::vector<int>(kBatch, kLength));
  return s;
}

class Classifier {
 public:
  explicit Classifier(const char* position) {
    ComposedConfig config;
    config.position = position;
    config.heads = 2;
    attention_ = make_attention(config, {.query = kWidth}, RandomKey(1));
    table_ = Var::parameter(normal_init({kWords, kWidth}, RandomKey(2), 1.0f));
    out_ = Linear(kWidth, 2, true, RandomKey(3));
  }
  Var logits(const Sentences& s) const {
    const Var x = gather(table_, s.ids);
    return out_(segment_mean(attention_->self(x, s.of, {}).context, s.of));
  }
  void params(Params& p) {
    p("table", table_);
    p("attention", *attention_);
    p("out", out_);
  }

 private:
  Var table_;
  std::unique_ptr<Attention> attention_;
  Linear out_;
};

double accuracy(const Classifier& model) {
  const NoGrad no_grad;
  int right = 0, total = 0;
  for (uint64_t i = 0; i < 8; ++i) {
    const Sentences s = draw(RandomKey(99).with(i));
    const Tensor logits = model.logits(s).value();
    for (int b = 0; b < kBatch; ++b, ++total) {
      right += (logits[2 * b + 1] > logits[2 * b]) == (s.is_question[b] == 1);
    }
  }
  return static_cast<double>(right) / total;
}

// After so many steps, or as soon as all is right.
double trained_accuracy(const char* position, int steps) {
  const ThreadLimit one(1);  // the steps are small
  Classifier model(position);
  const Params params(model);
  std::vector<Tensor> mean, square;
  for (const auto& p : params.parameters()) {
    mean.push_back(Tensor::zeros(p.value->shape()));
    square.push_back(Tensor::zeros(p.value->shape()));
  }
  for (int step = 1; step <= steps; ++step) {
    if (step % 100 == 0 && accuracy(model) == 1) return 1;
    const Sentences s = draw(RandomKey(7).with(static_cast<uint64_t>(step)));
    cross_entropy(model.logits(s), s.is_question, {}).loss.backward();
    std::vector<kernels::OptimTensor> tensors;
    size_t i = 0;
    for (const auto& p : params.parameters()) {
      tensors.push_back({.param = p.value->value().span(),
                         .grad = p.value->grad().span(),
                         .state0 = mean[i].span(),
                         .state1 = square[i].span()});
      ++i;
    }
    kernels::adam(tensors, {.number = step, .rate = 1e-2f}, {});
    for (const auto& p : params.parameters()) p.value->clear_grad();
  }
  return accuracy(model);
}

TEST(Order, CannotBeLearnedWithoutPositions) {
  EXPECT_NEAR(trained_accuracy("none", 600), 0.5, 0.1);
}

TEST(Order, IsLearnedWithAnyPositions) {
  for (const char* position :
       {"learned", "sinusoidal", "alibi", "relative", "rope"}) {
    EXPECT_EQ(trained_accuracy(position, 5000), 1.0) << position;
  }
}

}  // namespace
}  // namespace fovea
