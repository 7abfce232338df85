#include "fovea/models/classifier_folder.h"

#include <functional>
#include <sstream>

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"
#include "fovea/io/yaml.h"
#include "fovea/models/inference.h"

namespace fovea {
void save_classifier_config(const std::string& folder,
                            ClassifierFolderConfig config) {
  save_yaml(config_file(folder), fields_of(config));
}

void save_labels(const std::string& folder,
                 const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += label + "\n";
  replace_file(folder + "/" + kLabelsFile, text);
}

std::vector<std::string> load_labels(const FileSource& files) {
  std::istringstream text(files.text(kLabelsFile));
  std::vector<std::string> labels;
  for (std::string line; std::getline(text, line);) labels.push_back(line);
  return labels;
}

namespace {

using Fill = std::function<void(const SafetensorsFile& weights,
                                const Params& params, Precision stored)>;

ClassifierModel load(const FileSource& files, const Fill& fill) {
  ClassifierFolderConfig config;
  read_yaml(read_config_text(files, config.task), files.place(kConfigFile),
            fields_of(config));
  const Tokenizer text = Tokenizer::read(files.text(kSourceVocabulary),
                                         files.place(kSourceVocabulary));
  std::vector<std::string> labels = load_labels(files);
  check_data(config.model.words == text.size() &&
                 config.model.labels == std::ssize(labels),
             files.name(), ": there are ", text.size(), " words and ",
             labels.size(), " labels, the config says ", config.model.words,
             " and ", config.model.labels);
  const SafetensorsFile weights = open_weights(files);
  auto model =
      make_from_file<Classifier>(weights, files.place(kConfigFile), config);
  fill(weights, Params(*model), config.precision);
  return {std::move(config), text, std::move(labels), std::move(model)};
}

}  // namespace

ClassifierModel load_classifier(const FileSource& files, Precision precision) {
  return load(files, [=](const SafetensorsFile& weights, const Params& params,
                         Precision stored) {
    const bool int8 = stored == Precision::kInt8;
    load_for_inference(weights, params, int8 ? Precision::kInt8 : precision);
  });
}

ClassifierModel load_unpacked_classifier(const FileSource& files) {
  return load(files, [](const SafetensorsFile& weights, const Params& params,
                        Precision) { load_unpacked(weights, params); });
}

}  // namespace fovea
