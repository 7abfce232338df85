#pragma once

#include <span>
#include <vector>

#include "fovea/autograd/var.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

// Some columns of each row side by side, the others' places filled with minus
// infinity: what is computed from a row then does not depend on what other rows
// may have. `columns` has those of each row.
Tensor own_columns(const Tensor& of_all,
                   std::span<const std::span<const int>> columns);
void own_columns(const Tensor& of_all,
                 std::span<const std::span<const int>> columns, Tensor to);

// Joins what models say of words, rows of scores. One model's scores stay as
// they are; of several the result is the logarithm of the mean of their
// probabilities. One after another, so that only the sum takes memory.
class Vote {
 public:
  explicit Vote(size_t models) : models_(models) {}

  void add(const Tensor& scores);
  Tensor result() const;

 private:
  const size_t models_;
  Var sum_;  // of scores, or of probabilities
};

}  // namespace fovea
