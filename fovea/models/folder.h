#pragma once

#include <memory>
#include <string>

#include "fovea/base/fields.h"
#include "fovea/data/tokenizer.h"
#include "fovea/models/config.h"
#include "fovea/models/seq2seq.h"

namespace fovea {

constexpr int kModelFormat = 1;

// config.yaml of a model's folder. Beside it lie model.safetensors and the
// vocabularies.
struct FolderConfig {
  int format = kModelFormat;
  std::string task = "translate";
  bool joint_vocabulary = true;
  ModelConfig model;

  void fields(auto&& field) {
    field("format", format, "of this folder");
    field("task", task, "what the model does");
    field("joint-vocabulary", joint_vocabulary,
          "source and target have one vocabulary");
    field("model", model, "");
  }
};

void save_folder_config(const std::string& folder, FolderConfig config);

// The file that holds a model's config, and its text. A data error says so if
// the folder holds none, a newer Fovea wrote it, or the model does another
// task.
std::string config_file(const std::string& folder);
std::string read_config_text(const std::string& folder,
                             const std::string& task);

std::string source_vocabulary_file(const std::string& folder);
std::string target_vocabulary_file(const std::string& folder, bool joint);
std::string weights_file(const std::string& folder);

// A model that translates, with its vocabularies.
struct TranslationModel {
  FolderConfig config;
  Tokenizer source, target;
  std::unique_ptr<Seq2Seq> model;  // never null; prepared
};

// A data error names the file that is missing or not right.
TranslationModel load_translation_model(const std::string& folder,
                                        Precision precision);

}  // namespace fovea
