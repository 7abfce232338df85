#include <string>
#include <vector>

#include "bench/bench.h"
#include "fovea/base/rng.h"
#include "fovea/kernels/cross_entropy.h"
#include "fovea/kernels/optim.h"
#include "fovea/tensor/tensor.h"

namespace fovea::bench {
namespace {

Row named(const std::string& bench, const std::string& name, int threads) {
  Row row;
  row.bench = bench;
  row.name = name;
  row.threads = threads;
  return row;
}

Row cross_entropy_row(int rows, int threads) {
  constexpr int kClasses = 8000;
  const Tensor logits({rows, kClasses});
  fill_normal(RandomKey(1), 0, 3, logits.span());
  std::vector<int> targets(rows);
  for (int i = 0; i < rows; ++i) {
    targets[i] = random_below(RandomKey(2), i, kClasses);
  }
  std::vector<kernels::RowLoss> losses(rows);
  const double bytes = 2.0 * 4 * rows * kClasses;  // logits in, gradient out
  // The gradient serves as the next call's logits: the time does not depend on
  // the values, and a copy would be measured along.
  return against(
      copy_bandwidth(),
      named("cross_entropy", "rows=" + std::to_string(rows) + " classes=8000",
            threads),
      bytes, [&] {
        kernels::cross_entropy_with_gradient(
            {logits.data(), rows, kClasses}, targets, losses,
            {.smoothing = 0.1f, .scale = 1.0f / rows});
      });
}

Row adam_row(int64_t parameters, int threads) {
  // A model's mixture: large matrices, small vectors.
  constexpr int64_t kSizes[] = {1 << 20, 1024, 1 << 18, 256, 512 * 512 + 7, 1};
  std::vector<Tensor> tensors;
  std::vector<kernels::OptimTensor> list;
  int64_t total = 0;
  for (size_t i = 0; total < parameters; ++i) {
    const int64_t size = kSizes[i % std::size(kSizes)];
    Tensor t[4];
    for (Tensor& x : t) {
      x = Tensor({size});
      fill_uniform(RandomKey(i), 0, 1, x.span());
      tensors.push_back(x);
    }
    list.push_back({t[0].span(), t[1].span(), t[2].span(), t[3].span()});
    total += size;
  }
  const double bytes = 7.0 * 4 * static_cast<double>(total);
  return against(
      copy_bandwidth(),
      named("adam", std::to_string(total / 1000000) + "M parameters", threads),
      bytes, [&] { kernels::adam(list, {.number = 10}, {}); });
}

}  // namespace

Bench cross_entropy_bench() {
  return {"cross_entropy", [](int threads) -> std::vector<Row> {
            return {cross_entropy_row(512, threads),
                    cross_entropy_row(2048, threads),
                    cross_entropy_row(4096, threads)};
          }};
}

Bench adam_bench() {
  return {"adam", [](int threads) -> std::vector<Row> {
            return {adam_row(12'000'000, threads)};
          }};
}

}  // namespace fovea::bench
