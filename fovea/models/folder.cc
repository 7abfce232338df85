#include "fovea/models/folder.h"

#include <cstdlib>
#include <functional>
#include <sstream>

#include "fovea/base/check.h"
#include "fovea/io/yaml.h"
#include "fovea/models/inference.h"

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

Tokenizer read_vocabulary(const FileSource& files, const std::string& name) {
  return Tokenizer::read(files.text(name), files.place(name));
}

void check_words(const VocabularyConfig& words, const FileSource& files,
                 const Tokenizer& source, const Tokenizer& target) {
  check_data(words.source == source.size() && words.target == target.size(),
             files.place(kConfigFile), ": the vocabularies have ",
             source.size(), " and ", target.size(), " words, the config says ",
             words.source, " and ", words.target);
  check_data(words.begin == target.begin() && words.end == target.end(),
             files.place(kConfigFile), ": the vocabulary has the marks ",
             target.begin(), " and ", target.end(), ", the config says ",
             words.begin, " and ", words.end);
}

using Fill = std::function<void(const SafetensorsFile& weights,
                                const Params& params, Precision stored)>;

TranslationModel load(const FileSource& files, const Fill& fill) {
  FolderConfig config;
  read_yaml(read_config_text(files, config.task), files.place(kConfigFile),
            fields_of(config));
  const Tokenizer source = read_vocabulary(files, kSourceVocabulary);
  const Tokenizer target = config.joint_vocabulary
                               ? source
                               : read_vocabulary(files, kTargetVocabulary);
  check_words(config.model.vocabulary, files, source, target);
  const SafetensorsFile weights = open_weights(files);
  auto model =
      make_from_file<Seq2Seq>(weights, files.place(kConfigFile), config);
  fill(weights, Params(*model), config.precision);
  return {std::move(config), source, target, std::move(model)};
}

}  // namespace

std::string config_file(const std::string& folder) {
  return folder + "/" + kConfigFile;
}

// Another format or task has keys that are not known, so these come first.
std::string read_config_text(const FileSource& files) {
  check_data(files.exists(), files.name(), ": there is no such folder");
  check_data(files.contains(kConfigFile), files.name(),
             ": holds no model; a model is a folder with config.yaml, "
             "model.safetensors and a vocabulary");
  std::string text = files.text(kConfigFile);
  const std::string place = files.place(kConfigFile);
  const auto format = value_of("format", text);
  check_data(format.has_value(), place,
             ": names no format, so it is no model's config");
  check_data(std::atoi(format->c_str()) <= kModelFormat, place, ": has format ",
             *format, ", this Fovea reads up to ", kModelFormat,
             "; use a newer version");
  return text;
}

std::string read_config_text(const FileSource& files, const std::string& task) {
  std::string text = read_config_text(files);
  const std::string does = value_of("task", text).value_or("nothing");
  check_data(does == task, files.name(), ": this model does '", does,
             "', not '", task, "'");
  return text;
}

std::string task_of(const FileSource& files) {
  return value_of("task", read_config_text(files)).value_or("nothing");
}

SafetensorsFile open_weights(const FileSource& files) {
  return {files.bytes(kWeightsFile), files.place(kWeightsFile)};
}

void save_folder_config(const std::string& folder, FolderConfig config) {
  save_yaml(config_file(folder), fields_of(config));
}

std::string source_vocabulary_file(const std::string& folder) {
  return folder + "/" + kSourceVocabulary;
}

std::string target_vocabulary_file(const std::string& folder, bool joint) {
  return folder + "/" + (joint ? kSourceVocabulary : kTargetVocabulary);
}

std::string weights_file(const std::string& folder) {
  return folder + "/" + kWeightsFile;
}

TranslationModel load_translation_model(const FileSource& files,
                                        Precision precision) {
  return load(files, [=](const SafetensorsFile& weights, const Params& params,
                         Precision stored) {
    const bool int8 = stored == Precision::kInt8;
    load_for_inference(weights, params, int8 ? Precision::kInt8 : precision);
  });
}

TranslationModel load_unpacked_translation_model(const FileSource& files) {
  return load(files, [](const SafetensorsFile& weights, const Params& params,
                        Precision) { load_unpacked(weights, params); });
}

std::optional<Shortlist> load_shortlist(const FileSource& files,
                                        const TranslationModel& model) {
  if (!files.contains(kShortlistFile)) return {};
  return Shortlist::read(
      SafetensorsFile(files.bytes(kShortlistFile), files.place(kShortlistFile)),
      {.source = model.source.size(),
       .target = model.target.size(),
       .end = model.target.end()});
}

}  // namespace fovea
