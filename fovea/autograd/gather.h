#pragma once

#include <cstdint>
#include <span>

#include "fovea/autograd/var.h"

namespace fovea {

// Row ids[i] of the table for each i: [V,D] -> [N,D]. Looks up embeddings,
// selects and reorders rows.
Var gather(const Var& table, std::span<const int> ids);

// The same elements in another shape.
Var reshape(const Var& x, const Shape& shape);

// Matrices side by side, or one below the other.
Var concat_columns(std::span<const Var> parts);
Var concat_rows(std::span<const Var> parts);
inline Var concat_columns(std::initializer_list<Var> parts) {
  return concat_columns(std::span(parts.begin(), parts.size()));
}
inline Var concat_rows(std::initializer_list<Var> parts) {
  return concat_rows(std::span(parts.begin(), parts.size()));
}

// Columns (copied) or rows (a view) from `begin` to before `end`.
Var slice_columns(const Var& x, int64_t begin, int64_t end);
Var slice_rows(const Var& x, int64_t begin, int64_t end);

}  // namespace fovea
