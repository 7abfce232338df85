#include "fovea/predict/recurrent_config.h"

#include "fovea/base/check.h"

namespace fovea {

void check_recurrent(const DecoderConfig& config) {
  check_usage(config.layers >= 1, "predict.layers is ", config.layers,
              ": give at least 1");
  check_usage(config.width >= 1, "predict.width is ", config.width,
              ": give at least 1");
}

StackConfig stack_config(const DecoderConfig& config, int in) {
  return {.cell = {.kind = config.cell,
                   .in = in,
                   .width = config.width,
                   .forget_bias = config.forget_bias,
                   .init = config.init},
          .layers = config.layers,
          .dropout = config.dropout,
          .residual_from = config.residual_from};
}

FirstState::Config first_state_config(const DecoderConfig& config,
                                      FirstState::From from) {
  return {.from = from,
          .layers = config.layers,
          .width = config.width,
          .cells = config.cell == CellKind::kLstm,
          .init = config.init};
}

EncodedWidths encoded_widths(const DecoderSizes& sizes) {
  EncodedWidths widths = sizes.encoded;
  if (widths.states == 0) widths.states = sizes.source;
  return widths;
}

}  // namespace fovea
