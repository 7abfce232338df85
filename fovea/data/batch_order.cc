#include "fovea/data/batch_order.h"

#include <algorithm>
#include <numeric>

namespace fovea {
namespace {

struct Ranked {
  SequenceLength length;
  uint64_t rank;  // random; the rows of a batch have nothing but length alike
  int64_t row;
};

bool longer(const Ranked& a, const Ranked& b) {
  if (a.length.target != b.length.target) {
    return a.length.target > b.length.target;
  }
  if (a.length.source != b.length.source) {
    return a.length.source > b.length.source;
  }
  return a.rank < b.rank;
}

void sort_by_length(const ExampleStore& store, std::vector<int64_t>& rows,
                    RandomKey key) {
  std::vector<Ranked> ranked;
  ranked.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    ranked.push_back({store.length(rows[i]), key.with(i).bits(), rows[i]});
  }
  std::sort(ranked.begin(), ranked.end(), longer);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = ranked[i].row;
}

}  // namespace

std::vector<int> cut_rows(const ExampleStore& store,
                          std::span<const int64_t> rows, int tokens) {
  std::vector<SequenceLength> lengths;
  lengths.reserve(rows.size());
  for (const int64_t row : rows) lengths.push_back(store.length(row));
  return cut_by_tokens(lengths, tokens);
}

BatchOrder::BatchOrder(const ExampleStore& store, std::vector<int64_t> rows,
                       int tokens, RandomKey key)
    : rows_(std::move(rows)) {
  sort_by_length(store, rows_, key.with("rows"));
  begins_ = cut_rows(store, rows_, tokens);
  order_.resize(begins_.size() - 1);
  std::iota(order_.begin(), order_.end(), 0);
  const RandomKey batches = key.with("batches");
  for (size_t i = order_.size(); i > 1; --i) {
    std::swap(order_[i - 1], order_[batches.with(i).bits() % i]);
  }
}

std::span<const int64_t> BatchOrder::rows(int64_t batch) const {
  const int b = order_[batch];
  return std::span(rows_).subspan(begins_[b], begins_[b + 1] - begins_[b]);
}

}  // namespace fovea
