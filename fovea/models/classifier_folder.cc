#include "fovea/models/classifier_folder.h"

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"
#include "fovea/io/yaml.h"
#include "fovea/models/checkpoint.h"

namespace fovea {
namespace {

std::string labels_file(const std::string& folder) {
  return folder + "/labels.txt";
}

}  // namespace

void save_classifier_config(const std::string& folder,
                            ClassifierFolderConfig config) {
  save_yaml(config_file(folder), fields_of(config));
}

void save_labels(const std::string& folder,
                 const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += label + "\n";
  replace_file(labels_file(folder), text);
}

std::vector<std::string> load_labels(const std::string& folder) {
  LineReader reader(labels_file(folder));
  std::vector<std::string> labels;
  while (const auto line = reader.next()) labels.emplace_back(*line);
  return labels;
}

ClassifierModel load_classifier(const std::string& folder,
                                Precision precision) {
  ClassifierFolderConfig config;
  read_yaml(read_config_text(folder, config.task), config_file(folder),
            fields_of(config));
  const Tokenizer text = Tokenizer::load(source_vocabulary_file(folder));
  std::vector<std::string> labels = load_labels(folder);
  check_data(config.model.words == text.size() &&
                 config.model.labels == std::ssize(labels),
             folder, ": there are ", text.size(), " words and ", labels.size(),
             " labels, the config says ", config.model.words, " and ",
             config.model.labels);
  auto model = std::make_unique<Classifier>(config.model, RandomKey(0));
  const Params params(*model);
  load_parameters(weights_file(folder), params);
  params.prepare(precision);
  return {std::move(config), text, std::move(labels), std::move(model)};
}

}  // namespace fovea
