#pragma once

#include "fovea/attend/encoded.h"
#include "fovea/layers/params.h"
#include "fovea/layers/pass.h"

namespace fovea {

// Rows of embeddings to states that know their context. Running changes
// nothing, so threads may share one.
class Encoder {
 public:
  virtual ~Encoder() = default;

  // x [N,E]
  virtual Encoded operator()(const Var& x, const Segments& of,
                             const Pass& pass) const = 0;
  virtual int width() const = 0;  // of the states
  virtual EncodedWidths widths() const { return {.states = width()}; }
  virtual void params(Params& p) = 0;
};

}  // namespace fovea
