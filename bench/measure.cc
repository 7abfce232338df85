#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "bench/bench.h"
#include "fovea/base/parallel.h"
#include "fovea/base/rng.h"

namespace fovea::bench {
namespace {

std::function<bool(const Row&)>& picked() {
  static std::function<bool(const Row&)> pick;
  return pick;
}

double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

MeasureOnly::MeasureOnly(std::function<bool(const Row&)> pick) {
  picked() = std::move(pick);
}

MeasureOnly::~MeasureOnly() { picked() = nullptr; }

bool wanted(const Row& row) { return !picked() || picked()(row); }

Pair best_of(const Work& ours, const Work& peer, int repeats) {
  Pair best{std::numeric_limits<double>::max(),
            std::numeric_limits<double>::max()};
  seconds(ours);
  seconds(peer);
  double spent = 0;
  for (int i = 0; i < repeats || (spent < 0.5 && i < 200); ++i) {
    const double a = seconds(ours);
    const double b = seconds(peer);
    best = {std::min(best.ours, a), std::min(best.peer, b)};
    spent += a + b;
  }
  return best;
}

Yardstick sgemm_peak() {
  constexpr int n = 2048;
  auto data = std::make_shared<std::vector<float>>(3 * n * n);
  fill_uniform(RandomKey(1), -1, 1, *data);
  const Work openblas = [data] {
    const float* a = data->data();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n,
                a + n * n, n, 0, data->data() + 2 * n * n, n);
  };
  const Work onednn = [data] {
    const float* a = data->data();
    dnnl_sgemm('N', 'N', n, n, n, 1, a, n, a + n * n, n, 0,
               data->data() + 2 * n * n, n);
  };
  const Pair best = best_of(openblas, onednn, 3);
  return {"sgemm peak", "GFLOP/s", 2.0 * n * n * n,
          best.ours < best.peer ? openblas : onednn};
}

Yardstick int8_peak() {
  constexpr int n = 2048;
  struct Data {
    std::vector<uint8_t> a = std::vector<uint8_t>(size_t{n} * n, 3);
    std::vector<int8_t> b = std::vector<int8_t>(size_t{n} * n, -5);
    std::vector<int32_t> c = std::vector<int32_t>(size_t{n} * n);
  };
  auto data = std::make_shared<Data>();
  return {"int8 gemm peak", "GFLOP/s", 2.0 * n * n * n, [data] {
            const int32_t no_offset = 0;
            dnnl_gemm_u8s8s32('N', 'N', 'F', n, n, n, 1, data->a.data(), n, 0,
                              data->b.data(), n, 0, 0, data->c.data(), n,
                              &no_offset);
          }};
}

Row share_of_peak(const Yardstick& peak, Row row, double flops_a_second) {
  row.unit = peak.unit;
  row.value = flops_a_second / 1e9;
  row.peer = peak.name;
  row.peer_value = peak.amount / best_of(peak.work, [] {}).ours / 1e9;
  row.ratio = row.value / row.peer_value;
  return row;
}

Yardstick copy_bandwidth() {
  constexpr size_t bytes = size_t{128} << 20;
  auto data = std::make_shared<std::vector<char>>(2 * bytes, 1);
  return {"memcpy", "GB/s", 2.0 * bytes, [data] {
            parallel_for(bytes, 1 << 16, [&](int64_t begin, int64_t end) {
              std::memcpy(data->data() + bytes + begin, data->data() + begin,
                          end - begin);
            });
          }};
}

Row against(const Yardstick& yardstick, Row row, double amount,
            const Work& ours) {
  if (!wanted(row)) return row;
  const Pair best = best_of(ours, yardstick.work);
  row.value = amount / best.ours / 1e9;
  row.unit = yardstick.unit;
  row.peer = yardstick.name;
  row.peer_value = yardstick.amount / best.peer / 1e9;
  row.ratio = row.value / row.peer_value;
  return row;
}

Row against(const std::string& name, Row row, const Work& ours,
            const Work& other) {
  if (!wanted(row)) return row;
  const Pair best = best_of(ours, other);
  row.value = 1e3 * best.ours;
  row.unit = "ms";
  row.peer = name;
  row.peer_value = 1e3 * best.peer;
  row.ratio = best.peer / best.ours;
  return row;
}

}  // namespace fovea::bench
