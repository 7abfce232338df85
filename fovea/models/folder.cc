#include "fovea/models/folder.h"

#include <filesystem>
#include <optional>
#include <sstream>

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"
#include "fovea/io/yaml.h"
#include "fovea/models/checkpoint.h"

namespace fovea {
namespace {

// The word after a key at the left margin, without what a comment adds; nothing
// if there is no such key.
std::optional<std::string> value_of(const std::string& key,
                                    const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with(key + ": ")) continue;
    const std::string value = line.substr(key.size() + 2);
    return value.substr(0, value.find(' '));
  }
  return {};
}

}  // namespace

std::string config_file(const std::string& folder) {
  return folder + "/config.yaml";
}

// Another format or task has keys that are not known, so these come first.
std::string read_config_text(const std::string& folder,
                             const std::string& task) {
  check_data(std::filesystem::is_directory(folder), folder,
             ": there is no such folder");
  const std::string path = config_file(folder);
  check_data(std::filesystem::exists(path), folder,
             ": holds no model; a model is a folder with config.yaml, "
             "model.safetensors and a vocabulary");
  const std::string text = read_text(path);
  const auto format = value_of("format", text);
  check_data(format.has_value(), path,
             ": names no format, so it is no model's config");
  check_data(std::atoi(format->c_str()) <= kModelFormat, path, ": has format ",
             *format, ", this Fovea reads up to ", kModelFormat,
             "; use a newer version");
  const std::string does = value_of("task", text).value_or("nothing");
  check_data(does == task, folder, ": this model does '", does, "', not '",
             task, "'");
  return text;
}

void save_folder_config(const std::string& folder, FolderConfig config) {
  save_yaml(config_file(folder), fields_of(config));
}

std::string source_vocabulary_file(const std::string& folder) {
  return folder + "/source.vocab";
}

std::string target_vocabulary_file(const std::string& folder, bool joint) {
  return joint ? source_vocabulary_file(folder) : folder + "/target.vocab";
}

std::string weights_file(const std::string& folder) {
  return folder + "/model.safetensors";
}

TranslationModel load_translation_model(const std::string& folder,
                                        Precision precision) {
  FolderConfig config;
  read_yaml(read_config_text(folder, config.task), config_file(folder),
            fields_of(config));
  const Tokenizer source = Tokenizer::load(source_vocabulary_file(folder));
  const Tokenizer target =
      config.joint_vocabulary
          ? source
          : Tokenizer::load(target_vocabulary_file(folder, false));
  const VocabularyConfig& words = config.model.vocabulary;
  check_data(words.source == source.size() && words.target == target.size(),
             folder, ": the vocabularies have ", source.size(), " and ",
             target.size(), " words, the config says ", words.source, " and ",
             words.target);
  auto model = std::make_unique<Seq2Seq>(config.model, RandomKey(0));
  const Params params(*model);
  load_parameters(weights_file(folder), params);
  params.prepare(precision);
  return {std::move(config), source, target, std::move(model)};
}

}  // namespace fovea
