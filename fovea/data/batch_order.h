#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/base/rng.h"
#include "fovea/data/example_store.h"

namespace fovea {

// Which rows of a store make which batch.
class BatchOrder {
 public:
  BatchOrder() = default;
  // Rows of like length make a batch of at most so many tokens; the key decides
  // which of them, and in which order the batches come. A row may be named
  // several times.
  BatchOrder(const ExampleStore& store, std::vector<int64_t> rows, int tokens,
             RandomKey key);

  int64_t count() const { return static_cast<int64_t>(order_.size()); }
  std::span<const int64_t> rows(int64_t batch) const;

 private:
  std::vector<int64_t> rows_;  // batch after batch
  std::vector<int> begins_;    // of the batches, and the end
  std::vector<int> order_;
};

// Where each batch of rows in their given order begins, and the end.
std::vector<int> cut_rows(const ExampleStore& store,
                          std::span<const int64_t> rows, int tokens);

}  // namespace fovea
