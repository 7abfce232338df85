#include "fovea/models/quantize.h"

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"
#include "fovea/io/yaml.h"
#include "fovea/models/classifier_folder.h"
#include "fovea/models/inference.h"
#include "fovea/models/new_folder.h"

namespace fovea {
namespace {

template <class Model, class Config>
void quantize(const FileSource& from, const std::string& to) {
  Config config;
  const std::string place = from.place(kConfigFile);
  read_yaml(read_config_text(from), place, fields_of(config));
  check_usage(config.precision != Precision::kInt8, from.name(),
              ": is int8 already");
  const SafetensorsFile weights = open_weights(from);
  const auto model = make_from_file<Model>(weights, place, config);
  make_model_folder(to);
  save_quantized(weights_file(to), weights, Params(*model));
  copy_text_files(from, to);
  config.format = kModelFormat;
  config.precision = Precision::kInt8;
  save_yaml(config_file(to), fields_of(config));
}

}  // namespace

void quantize_model(const FileSource& from, const std::string& to) {
  const std::string task = task_of(from);
  if (task == FolderConfig().task) {
    quantize<Seq2Seq, FolderConfig>(from, to);
  } else {
    check_data(task == ClassifierFolderConfig().task, from.name(),
               ": this model does '", task, "', which cannot be quantized");
    quantize<Classifier, ClassifierFolderConfig>(from, to);
  }
}

}  // namespace fovea
