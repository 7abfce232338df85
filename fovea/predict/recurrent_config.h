#pragma once

#include "fovea/layers/recurrent_stack.h"
#include "fovea/predict/first_state.h"
#include "fovea/predict/registry.h"

// What recurrent decoders take from a config alike.
namespace fovea {

void check_recurrent(const DecoderConfig& config);
StackConfig stack_config(const DecoderConfig& config, int in);
FirstState::Config first_state_config(const DecoderConfig& config,
                                      FirstState::From from);
// Of the encoder; with nothing but the width of its states where no more is
// said.
EncodedWidths encoded_widths(const DecoderSizes& sizes);

}  // namespace fovea
