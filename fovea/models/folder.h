#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fovea/base/fields.h"
#include "fovea/data/shortlist.h"
#include "fovea/data/tokenizer.h"
#include "fovea/io/safetensors.h"
#include "fovea/models/config.h"
#include "fovea/models/seq2seq.h"

namespace fovea {

constexpr int kModelFormat = 2;  // 1 had no precision

// The files of a model's folder.
constexpr const char* kConfigFile = "config.yaml";
constexpr const char* kWeightsFile = "model.safetensors";
constexpr const char* kSourceVocabulary = "source.vocab";
constexpr const char* kTargetVocabulary = "target.vocab";
constexpr const char* kLabelsFile = "labels.txt";
constexpr const char* kShortlistFile = "shortlist.safetensors";

// config.yaml of a model's folder. Beside it lie model.safetensors and the
// vocabularies.
struct FolderConfig {
  int format = kModelFormat;
  std::string task = "translate";
  Precision precision = Precision::kFloat32;
  bool joint_vocabulary = true;
  int source_length = 0;  // not known
  ModelConfig model;

  void fields(auto&& field) {
    field("format", format, "of this folder");
    field("task", task, "what the model does");
    field("precision", precision, "of the weights");
    field("joint-vocabulary", joint_vocabulary,
          "source and target have one vocabulary");
    field("source-length", source_length,
          "tokens that 99 of 100 sources it learnt from do not exceed;\n"
          "0: not known");
    field("model", model, "");
  }
};

void save_folder_config(const std::string& folder, FolderConfig config);

// The text of a model's config. A data error says so if there is none, a newer
// Fovea wrote it, or the model does another task.
std::string read_config_text(const FileSource& files);
std::string read_config_text(const FileSource& files, const std::string& task);
std::string task_of(const FileSource& files);

SafetensorsFile open_weights(const FileSource& files);

std::string config_file(const std::string& folder);
std::string source_vocabulary_file(const std::string& folder);
std::string target_vocabulary_file(const std::string& folder, bool joint);
std::string weights_file(const std::string& folder);

// A model that translates, with its vocabularies.
struct TranslationModel {
  FolderConfig config;
  Tokenizer source, target;
  std::unique_ptr<Seq2Seq> model;  // never null; prepared
};

// From a folder or from memory. Only packed weights are kept; those of an int8
// folder are int8 whatever the precision. A data error names the file that is
// missing or not right.
TranslationModel load_translation_model(const FileSource& files,
                                        Precision precision);
// With weights that gradients pass: see load_unpacked.
TranslationModel load_unpacked_translation_model(const FileSource& files);

// The shortlist of a model's folder, or nothing if it has none.
std::optional<Shortlist> load_shortlist(const FileSource& files,
                                        const TranslationModel& model);

}  // namespace fovea
