#include "fovea/attend/mask.h"

#include <vector>

#include "fovea/attend/impose.h"
#include "fovea/attend/pair_record.h"
#include "fovea/autograd/gather.h"

namespace fovea {
namespace {

struct Sizes {
  int images, positions, channels;

  explicit Sizes(const Var& mask)
      : images(static_cast<int>(mask.dim(0))),
        positions(static_cast<int>(mask.dim(1) * mask.dim(2))),
        channels(static_cast<int>(mask.dim(3))) {}
};

// The numbers of each image, a matrix [rows, cols], as its transpose.
Var transposed(const Var& x, int images, int rows, int cols) {
  if (rows == 1 || cols == 1) return reshape(x, {x.value().size()});
  std::vector<int> order;
  for (int b = 0; b < images; ++b) {
    for (int c = 0; c < cols; ++c) {
      for (int r = 0; r < rows; ++r) {
        order.push_back((b * rows + r) * cols + c);
      }
    }
  }
  const Var column = reshape(x, {x.value().size(), 1});
  return reshape(gather(column, order), {x.value().size()});
}

Weights weights_of(const Var& mask, const Sizes& s) {
  std::vector<Pairs::Row> rows;
  for (int b = 0; b < s.images; ++b) {
    rows.push_back({.key = b * s.positions, .keys = s.positions});
  }
  Pairs pairs(std::move(rows), s.channels, s.channels);  // checks their number
  return {transposed(mask, s.images, s.positions, s.channels),
          std::move(pairs)};
}

}  // namespace

Var applied_mask(const Var& mask, const std::string& score, const Pass& pass) {
  const Sizes s(mask);
  std::vector<int> heads = traced_heads(pass, s.channels);
  if (heads.empty() && !imposed(pass)) return mask;
  Weights weights = weights_of(mask, s);
  weights.values = impose_weights(weights.values, weights.pairs, pass);
  if (!heads.empty()) {
    const std::vector<int> ones(s.images, 1);
    pass.trace->add(
        pair_record({.name = pass.name(), .kind = "mask", .score = score},
                    std::move(heads), weights,
                    {Segments::from_lengths(ones),
                     std::vector<int>(s.images, s.positions)}));
  }
  if (!imposed(pass)) return mask;
  return reshape(transposed(weights.values, s.images, s.channels, s.positions),
                 mask.shape());
}

}  // namespace fovea
