// The products of inference: many rows against the peak of sgemm, one row
// against the memory and oneDNN, int8 against float32.
#include <oneapi/dnnl/dnnl.h>

#include <cstdint>
#include <vector>

#include "bench/bench.h"
#include "bench/products.h"
#include "fovea/base/check.h"
#include "fovea/kernels/packed_gemm.h"
#include "fovea/kernels/quantized.h"

namespace fovea::bench {
namespace {

// A layer with its weight in all forms, and some rows to put through it.
class Case {
 public:
  Case(int rows, Layer layer)
      : rows_(rows),
        layer_(layer),
        x_(random_matrix(rows * layer.in, 1)),
        weight_(random_matrix(layer.in * layer.out, 2)),
        y_(rows * layer.out),
        packed_(kernels::PackedMatrix::from_out_in(
            {weight_.data(), layer.out, layer.in})),
        quantized_(kernels::QuantizedMatrix::from_out_in(
            {weight_.data(), layer.out, layer.in})) {}

  double flops() const { return 2.0 * rows_ * layer_.in * layer_.out; }
  const std::vector<float>& weight() const { return weight_; }

  Work float32() {
    return repeated(flops(), [this] {
      kernels::packed_gemm({x_.data(), rows_, layer_.in}, packed_,
                           {y_.data(), rows_, layer_.out});
    });
  }
  Work int8() {
    return repeated(flops(), [this] {
      kernels::quantized_gemm({x_.data(), rows_, layer_.in}, quantized_,
                              {y_.data(), rows_, layer_.out});
    });
  }
  Work onednn() {
    return repeated(flops(), [this] {
      dnnl_sgemm('N', 'T', rows_, layer_.out, layer_.in, 1, x_.data(),
                 layer_.in, weight_.data(), layer_.in, 0, y_.data(),
                 layer_.out);
    });
  }

 private:
  int rows_;
  Layer layer_;
  std::vector<float> x_, weight_, y_;
  kernels::PackedMatrix packed_;
  kernels::QuantizedMatrix quantized_;
};

// Reads all of it. Integers, so that the compiler may use whole vectors.
__attribute__((target_clones("avx2", "default"))) uint32_t read_all(
    const uint32_t* x, size_t count) {
  constexpr size_t kWide = 64;
  uint32_t sums[kWide] = {};
  for (size_t i = 0; i + kWide <= count; i += kWide) {
    for (size_t j = 0; j < kWide; ++j) sums[j] += x[i + j];
  }
  uint32_t total = 0;
  for (const uint32_t s : sums) total += s;
  return total;
}

Work reading(const Case& c) {
  const std::vector<uint32_t> ones(c.weight().size(), 1);
  return repeated(c.flops(), [ones] {
    check(read_all(ones.data(), ones.size()) == ones.size(), "misread");
  });
}

Row named(const char* bench, int rows, Layer layer, int threads) {
  return row_named(bench, join(rows, "x", layer.in, "x", layer.out), threads);
}

Row compared(Row row, const char* peer, double amount, const char* unit,
             const Pair& best) {
  row.value = amount / best.ours / 1e9;
  row.unit = unit;
  row.peer = peer;
  row.peer_value = amount / best.peer / 1e9;
  row.ratio = best.peer / best.ours;
  return row;
}

// A family of single rows: `measure` fills in the row of one case.
template <class Measure>
Bench one_row(const char* name, Measure measure) {
  return {name,
          [=](int threads) {
            std::vector<Row> rows;
            for (const Layer& layer : kLayers) {
              Row row = named(name, 1, layer, threads);
              if (wanted(row)) {
                Case c(1, layer);
                row = measure(row, c);
              }
              rows.push_back(row);
            }
            return rows;
          },
          {1}};
}

constexpr int kRows[] = {16, 64, 512, 2560};

}  // namespace

Bench packed_gemm_bench() {
  return {"packed_gemm", [](int threads) {
            const Yardstick peak = sgemm_peak();
            std::vector<Row> rows;
            for (const int m : kRows) {
              for (const Layer& layer : kLayers) {
                Row row = named("packed_gemm", m, layer, threads);
                if (wanted(row)) {
                  Case c(m, layer);
                  row = against(peak, row, c.flops() * repeats(c.flops()),
                                c.float32());
                }
                rows.push_back(row);
              }
            }
            return rows;
          }};
}

Bench packed_int8_bench() {
  return {"packed_int8",
          [](int threads) {
            std::vector<Row> rows;
            for (const int m : kRows) {
              for (const Layer& layer : kLayers) {
                Row row = named("packed_int8", m, layer, threads);
                if (wanted(row)) {
                  Case c(m, layer);
                  row = compared(row, "float32", c.flops() * repeats(c.flops()),
                                 "GFLOP/s", best_of(c.int8(), c.float32()));
                }
                rows.push_back(row);
              }
            }
            return rows;
          },
          {1}};
}

Bench packed_row_bandwidth_bench() {
  return one_row("packed_row_bandwidth", [](const Row& row, Case& c) {
    return compared(row, "reading",
                    c.weight().size() * sizeof(float) * repeats(c.flops()),
                    "GB/s", best_of(c.float32(), reading(c)));
  });
}

Bench packed_row_onednn_bench() {
  return one_row("packed_row_onednn", [](const Row& row, Case& c) {
    return compared(row, "oneDNN", c.flops() * repeats(c.flops()), "GFLOP/s",
                    best_of(c.float32(), c.onednn()));
  });
}

Bench packed_row_int8_bench() {
  return one_row("packed_row_int8", [](const Row& row, Case& c) {
    return compared(row, "float32", c.flops() * repeats(c.flops()), "GFLOP/s",
                    best_of(c.int8(), c.float32()));
  });
}

}  // namespace fovea::bench
