#pragma once

#include "fovea/autograd/batch_norm.h"
#include "fovea/layers/params.h"
#include "fovea/layers/pass.h"

namespace fovea {

// Batch norm over all but the last axis. In training by the statistics of the
// input itself, whose share in the running ones goes to Pass::updates;
// otherwise by the running ones.
class BatchNorm {
 public:
  BatchNorm() = default;
  explicit BatchNorm(int64_t channels, const BatchNormOptions& options = {});

  Var operator()(const Var& x, const Pass& pass) const;
  void params(Params& p);

  Var gain, bias;  // [C]
  ColumnStatistics running;

 private:
  BatchNormOptions options_;
};

}  // namespace fovea
