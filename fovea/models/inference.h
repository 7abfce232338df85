#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/base/rng.h"
#include "fovea/io/safetensors.h"
#include "fovea/layers/params.h"

namespace fovea {

// Models that are made from files to be used, not to be trained.

// Runs `make`, which makes a model as a config says: without drawing weights,
// and without memory for more of them than the file has. What the config's
// values make impossible is a data error that names `config`, its file.
void make_from_file(const SafetensorsFile& weights, const std::string& config,
                    const std::vector<Field>& fields,
                    const std::function<void()>& make);
template <class Model, class Config>
std::unique_ptr<Model> make_from_file(const SafetensorsFile& weights,
                                      const std::string& place,
                                      Config& config) {
  std::unique_ptr<Model> model;
  make_from_file(weights, place, fields_of(config), [&] {
    model = std::make_unique<Model>(config.model, RandomKey(0));
  });
  return model;
}

// Gives a model so made its numbers and prepares it. Weights are packed
// straight from the file, and the model keeps them in no other form. Those that
// the file has in 8 bits stay so, whatever the precision. A data error names
// the first tensor that is missing, has another shape, or is not the model's.
void load_for_inference(const SafetensorsFile& file, const Params& params,
                        Precision precision);

// The same for a model through which gradients of its inputs shall pass: all
// weights are float32 and none is packed, those of 8 bits are turned back. The
// parameters are constants.
void load_unpacked(const SafetensorsFile& file, const Params& params);

// Writes the file for inference in 8 bits of a model so made, from one with
// float32: "NAME" and "NAME.scale" for each weight, one scale for each row (see
// kernels/quantize_weight.h), lengths of weight-normalised rows counted in. The
// rest stays float32. The model's weights are views of the file then.
void save_quantized(const std::string& path, const SafetensorsFile& file,
                    const Params& params);

}  // namespace fovea
