#pragma once

#include "fovea/tensor/segments.h"
#include "support/gradients.h"

// Slow double-precision twins of the convolutional encoder and decoder of
// Gehring et al. 2017, written from the paper. Parameters come in the order in
// which the layers list them.
namespace fovea::testing {

struct TwinLayer {
  int width, kernel;
};

// Inputs: e [N,in], then parameters. Result: z [N,in].
struct TwinConvEncoder {
  Segments of;
  int in;
  std::vector<TwinLayer> layers;
  Doubles operator()(const std::vector<Doubles>& inputs) const;
};

// With the paper's attention. Inputs: z and e [N,in], words [M,in], then
// parameters. Result: [M,out].
struct TwinConvDecoder {
  Segments source, target;
  int in;
  std::vector<TwinLayer> layers;
  Doubles operator()(const std::vector<Doubles>& inputs) const;
};

}  // namespace fovea::testing
