#include "fovea/models/folder.h"

#include <filesystem>
#include <sstream>

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"
#include "fovea/io/yaml.h"
#include "fovea/models/checkpoint.h"

namespace fovea {
namespace {

// Keys of a newer format are not known here, so this comes before all others.
void check_format(const std::string& text, const std::string& path) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with("format:")) continue;
    const int format = std::atoi(line.c_str() + 7);
    check_data(format <= kModelFormat, path, ": has format ", format,
               ", this Fovea reads up to ", kModelFormat,
               "; use a newer version");
    return;
  }
  fail(ErrorKind::kData, path, ": names no format, so it is no model's config");
}

}  // namespace

FolderConfig load_folder_config(const std::string& folder) {
  check_data(std::filesystem::is_directory(folder), folder,
             ": there is no such folder");
  const std::string path = folder + "/config.yaml";
  check_data(std::filesystem::exists(path), folder,
             ": holds no model; a model is a folder with config.yaml, "
             "model.safetensors and a vocabulary");
  const std::string text = read_text(path);
  check_format(text, path);
  FolderConfig config;
  read_yaml(text, path, fields_of(config));
  return config;
}

void save_folder_config(const std::string& folder, FolderConfig config) {
  save_yaml(folder + "/config.yaml", fields_of(config));
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
  FolderConfig config = load_folder_config(folder);
  check_data(config.task == "translate", folder, ": this model does '",
             config.task, "', not 'translate'");
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
