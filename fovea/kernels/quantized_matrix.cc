#include "fovea/kernels/quantized_matrix.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

namespace fovea::kernels {

QuantizedMatrix::QuantizedMatrix(int64_t in, int64_t out)
    : in_(in),
      out_(out),
      panels_(panel_count() * kPanel * groups() * kGroup),
      scales_(panel_count() * kPanel),
      offsets_(panel_count() * kPanel) {
  check(in <= kMaxIn, "quantized weight: ", in, " inputs, at most ", kMaxIn);
  std::fill_n(panels_.data(), panels_.size(), int8_t{0});
  std::fill_n(scales_.data(), scales_.size(), 0.0f);
  std::fill_n(offsets_.data(), offsets_.size(), 0);
}

void QuantizedMatrix::place_column(int64_t j, const int8_t* q, float scale) {
  int8_t* to = panels_.data() + j / kPanel * kPanel * groups() * kGroup +
               j % kPanel * kGroup;
  const int64_t whole = in_ / kGroup;
  for (int64_t g = 0; g < whole; ++g) {
    std::memcpy(to + g * kPanel * kGroup, q + g * kGroup, kGroup);
  }
  std::copy(q + whole * kGroup, q + in_, to + whole * kPanel * kGroup);
  int32_t sum = 0;
  for (int64_t k = 0; k < in_; ++k) sum += q[k];
  scales_[j] = scale;
  offsets_[j] = -64 * sum;
}

QuantizedMatrix QuantizedMatrix::from_out_in(ConstMatrixView weight) {
  QuantizedMatrix m(weight.cols, weight.rows);
  parallel_for(m.out_, 64, [&](int64_t begin, int64_t end) {
    std::vector<int8_t> q(m.in_);
    for (int64_t j = begin; j < end; ++j) {
      const float scale = quantize_weights(weight.row(j), 1, q);
      m.place_column(j, q.data(), scale);
    }
  });
  return m;
}

QuantizedMatrix QuantizedMatrix::from_in_out(ConstMatrixView weight) {
  QuantizedMatrix m(weight.rows, weight.cols);
  parallel_for(m.out_, 64, [&](int64_t begin, int64_t end) {
    std::vector<int8_t> q(m.in_);
    for (int64_t j = begin; j < end; ++j) {
      const float scale = quantize_weights(weight.data + j, weight.stride, q);
      m.place_column(j, q.data(), scale);
    }
  });
  return m;
}

QuantizedMatrix QuantizedMatrix::from_rows(const QuantizedRows& weight) {
  QuantizedMatrix m(weight.in(), weight.out());
  parallel_for(m.out_, 64, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      m.place_column(j, weight.row(j), weight.scales[j]);
    }
  });
  return m;
}

void QuantizedMatrix::copy_column(int64_t column, std::span<float> to) const {
  const int8_t* from = panel(column / kPanel) + column % kPanel * kGroup;
  const float scale = scales_[column];
  int64_t k = 0;
  for (; k + kGroup <= in_; k += kGroup, from += kPanel * kGroup) {
    for (int64_t i = 0; i < kGroup; ++i) to[k + i] = scale * from[i];
  }
  for (int64_t i = 0; k + i < in_; ++i) to[k + i] = scale * from[i];
}

// A panel at a time, so that what is written stands side by side.
QuantizedMatrix QuantizedMatrix::columns(std::span<const int> some) const {
  QuantizedMatrix q(in_, std::ssize(some));
  for (int64_t first = 0; first < q.out_; first += kPanel) {
    const int64_t count = std::min(kPanel, q.out_ - first);
    const int8_t* columns[kPanel];
    for (int64_t j = 0; j < count; ++j) {
      const int64_t from = some[first + j];
      check(from >= 0 && from < out_, "quantized weight: column ", from, " of ",
            out_);
      columns[j] = panel(from / kPanel) + from % kPanel * kGroup;
      q.scales_[first + j] = scales_[from];
      q.offsets_[first + j] = offsets_[from];
    }
    int8_t* to = q.panels_.data() + first * groups() * kGroup;
    for (int64_t g = 0; g < groups(); ++g, to += kPanel * kGroup) {
      for (int64_t j = 0; j < count; ++j) {
        std::memcpy(to + j * kGroup, columns[j] + g * kPanel * kGroup, kGroup);
      }
    }
  }
  return q;
}

}  // namespace fovea::kernels
