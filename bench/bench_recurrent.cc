#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "bench/bench.h"
#include "fovea/autograd/recurrent.h"
#include "fovea/base/rng.h"

namespace fovea::bench {
namespace {

constexpr int kSequences = 256, kShortest = 5, kLongest = 30, kWidth = 512;

Segments ragged() {
  std::vector<int> lengths(kSequences);
  for (int i = 0; i < kSequences; ++i) {
    lengths[i] = kShortest + static_cast<int>(random_below(
                                 RandomKey(1), i, kLongest - kShortest + 1));
  }
  return Segments::from_lengths(lengths);
}

Var parameter(const Shape& shape, uint64_t seed, float scale) {
  Tensor t(shape);
  fill_normal(RandomKey(seed), 0, scale, t.span());
  return Var::parameter(t);
}

struct Layer {
  Segments of = ragged();
  Var x = parameter({of.total(), kWidth}, 2, 1);
  RecurrentWeights w;
  Tensor seed = Tensor::full({of.total(), kWidth}, 0.01f);
  explicit Layer(int gates) {
    const float scale = 1 / std::sqrt(static_cast<float>(kWidth));
    w.input = parameter({gates * kWidth, kWidth}, 3, scale);
    w.recurrent = parameter({gates * kWidth, kWidth}, 4, scale);
    w.bias = parameter({gates * kWidth}, 5, 0.1f);
  }
  void clear() const {
    for (const Var& v : {x, w.input, w.recurrent, w.bias}) v.clear_grad();
  }
};

using Op = std::function<RecurrentStates(const RecurrentInput&,
                                         const RecurrentWeights&)>;

// Counts real tokens only: input and recurrent products, x3 for both ways.
Row row_of(const char* name, int gates, int threads, const Op& op) {
  const Layer layer(gates);
  const double products =
      2.0 * layer.of.total() * gates * kWidth * (kWidth + kWidth);
  Row row;
  row.bench = "recurrent";
  row.name = name;
  row.threads = threads;
  return against(sgemm_peak(), row, 3 * products, [&] {
    layer.clear();
    op({.x = layer.x, .of = layer.of}, layer.w).states.backward(layer.seed);
  });
}

}  // namespace

Bench recurrent_bench() {
  using kernels::GruReset;
  const auto gru_with = [](GruReset reset) {
    return [reset](const RecurrentInput& in, const RecurrentWeights& w) {
      return gru(in, w, {.reset = reset});
    };
  };
  return {"recurrent", [gru_with](int threads) -> std::vector<Row> {
            return {
                row_of("lstm 512 wide", 4, threads, lstm),
                row_of("gru 512 wide, reset before", 3, threads,
                       gru_with(GruReset::kBefore)),
                row_of("gru 512 wide, reset after", 3, threads,
                       gru_with(GruReset::kAfter)),
            };
          }};
}

}  // namespace fovea::bench
