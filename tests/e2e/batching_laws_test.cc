// SPEC Z6, P5, through a stack of ops as models use them: a sequence gives the
// same result alone and in any batch. Bit for bit on the inference path, to
// 1e-6 where a graph is recorded.
#include <rapidcheck.h>

#include <algorithm>

#include "fovea/autograd/attention.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/linear.h"
#include "fovea/autograd/matrix.h"
#include "fovea/autograd/norm.h"
#include "fovea/autograd/recurrent.h"
#include "fovea/base/parallel.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

constexpr int kWidth = 24, kHeads = 3, kHidden = 40;

Var weight(int out, int in, uint64_t seed) {
  return Var::parameter(testing::random_tensor({out, in}, seed, 0.2f));
}

// A recurrent layer, then a Transformer block.
class Stack {
 public:
  Tensor infer(const Tensor& x, const Segments& of) const {
    const NoGrad scope;
    const auto product = [](const Var& a, const kernels::WeightMatrix& w,
                            Activation f) { return linear(a, w, {}, f); };
    return run(x, of, product, qkv_packed_, up_packed_, down_packed_);
  }

  Tensor train(const Tensor& x, const Segments& of) const {
    const auto product = [](const Var& a, const Var& w, Activation f) {
      return linear(a, w, {}, f);
    };
    return run(x, of, product, qkv_, up_, down_);
  }

 private:
  template <class Product, class Weight>
  Tensor run(const Tensor& x, const Segments& of, const Product& product,
             const Weight& qkv, const Weight& up, const Weight& down) const {
    Var h = gru({.x = x, .of = of}, {input_, recurrent_}).states;
    const Var mixed =
        attention(product(layer_norm(h, gain_, bias_), qkv, Activation::kNone),
                  attention_spans(of, of), {.heads = kHeads, .causal = true})
            .context;
    h = h + mixed;
    return (h +
            product(product(h, up, Activation::kGelu), down, Activation::kNone))
        .value();
  }

  static kernels::PackedMatrix pack(const Var& w) {
    return kernels::PackedMatrix::from_out_in(matrix(w.value()));
  }

  Var input_ = weight(3 * kWidth, kWidth, 1);
  Var recurrent_ = weight(3 * kWidth, kWidth, 2);
  Var qkv_ = weight(3 * kWidth, kWidth, 3);
  Var up_ = weight(kHidden, kWidth, 4), down_ = weight(kWidth, kHidden, 5);
  Var gain_ = Var::parameter(Tensor::full({kWidth}, 1));
  Var bias_ = Var::parameter(Tensor::zeros({kWidth}));
  kernels::WeightMatrix qkv_packed_ = pack(qkv_), up_packed_ = pack(up_),
                        down_packed_ = pack(down_);
};

TEST(BatchingLaws, ASequenceIsTheSameAloneAndInAnyBatch) {
  const Stack stack;
  EXPECT_TRUE(rc::check([&] {
    const int count = *rc::gen::inRange(1, 12);
    const auto lengths =
        *rc::gen::container<std::vector<int>>(count, rc::gen::inRange(0, 40));
    const Segments of = Segments::from_lengths(lengths);
    const Tensor x =
        testing::random_tensor({of.total(), kWidth}, *rc::gen::inRange(1, 999));
    const ThreadLimit limit(*rc::gen::element(1, 2, 4));
    const Tensor inferred = stack.infer(x, of), trained = stack.train(x, of);
    for (int b = 0; b < of.count(); ++b) {
      const Tensor rows = x.row_range(of.begin(b), of.end(b));
      const Segments alone = Segments::from_lengths(std::vector{of.length(b)});
      const auto in_batch = [&](const Tensor& all) {
        return all.row_range(of.begin(b), of.end(b)).span();
      };
      RC_ASSERT(testing::same_bits(stack.infer(rows, alone).span(),
                                   in_batch(inferred)));
      RC_ASSERT(testing::close(
          std::span<const float>(stack.train(rows, alone).span()),
          std::span<const float>(in_batch(trained)), 1e-6, 1.0));
    }
  }));
}

}  // namespace
}  // namespace fovea
