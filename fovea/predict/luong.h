#pragma once

#include <memory>

#include "fovea/predict/registry.h"

namespace fovea {

// Luong, Pham and Manning 2015 (SPEC D5): a stack of cells begins with the
// encoder's last states, its top state asks the attention, and a hidden row is
// h~ = tanh(W_c [c; h]). With input feeding a step also reads h~ of the step
// before; without, all steps run at once.
std::unique_ptr<SequencePredictor> make_luong_decoder(
    const DecoderConfig& config, const ComposedConfig& attend,
    const DecoderSizes& sizes, RandomKey key);

}  // namespace fovea
