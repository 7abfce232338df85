#include "fovea/autograd/rotary.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/rotary.h"

namespace fovea {
namespace {

// The sines and cosines of all positions from the first to the last.
struct Table {
  std::vector<int> row;  // of each position
  Tensor cos, sin;
};

void fill(double position, const Rotary& rotary, float* cos, float* sin) {
  const int half = rotary.width / 2;
  const bool adjacent = rotary.pairing == RotaryPairing::kAdjacent;
  for (int i = 0; i < half; ++i) {
    const double angle =
        position * std::pow(static_cast<double>(rotary.base),
                            -2.0 * i / static_cast<double>(rotary.width));
    const int a = adjacent ? 2 * i : i, b = adjacent ? a + 1 : i + half;
    cos[a] = cos[b] = static_cast<float>(std::cos(angle));
    sin[b] = static_cast<float>(std::sin(angle));
    sin[a] = -sin[b];
  }
}

Table make_table(std::span<const int> positions, const Rotary& rotary) {
  Table table;
  if (positions.empty()) return table;
  const auto [low, high] =
      std::minmax_element(positions.begin(), positions.end());
  const int64_t rows = int64_t{*high} - *low + 1;
  table.cos = Tensor({rows, rotary.width});
  table.sin = Tensor({rows, rotary.width});
  std::vector<bool> done(rows);
  for (int position : positions) {
    const int row = position - *low;
    table.row.push_back(row);
    if (done[row]) continue;
    done[row] = true;
    fill(position, rotary, table.cos.data() + int64_t{row} * rotary.width,
         table.sin.data() + int64_t{row} * rotary.width);
  }
  return table;
}

}  // namespace

Var rotate(const Var& x, std::span<const int> positions, int heads,
           const Rotary& given) {
  check(x.shape().rank() == 2 && std::ssize(positions) == x.dim(0),
        "rotary: ", positions.size(), " positions for rows of shape ",
        x.shape());
  check(heads > 0 && x.dim(1) % heads == 0, "rotary: ", heads, " heads of ",
        x.dim(1), " columns");
  const int size = static_cast<int>(x.dim(1) / heads);
  Rotary rotary = given;
  if (rotary.width == 0) rotary.width = size;
  check(rotary.width > 0 && rotary.width % 2 == 0 && rotary.width <= size,
        "rotary: ", rotary.width, " columns of a head of ", size,
        " cannot be turned in pairs");
  const auto table =
      std::make_shared<const Table>(make_table(positions, rotary));
  const auto rotation = [=](bool back) {
    return kernels::Rotation{
        .heads = heads,
        .width = rotary.width,
        .adjacent = rotary.pairing == RotaryPairing::kAdjacent,
        .table_row = table->row,
        .cos = table->cos.data(),
        .sin = table->sin.data(),
        .back = back};
  };
  Tensor y(x.shape());
  kernels::rotate(matrix(x.value()), rotation(false), false, matrix(y));
  return record(y, {x}, [=](const Tensor& dy, Grads dx) {
    const auto [sum, accumulate] = dx[0].target();
    kernels::rotate(matrix(dy), rotation(true), accumulate, matrix(sum));
  });
}

}  // namespace fovea
