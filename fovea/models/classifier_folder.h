#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/data/tokenizer.h"
#include "fovea/models/classifier.h"
#include "fovea/models/folder.h"

namespace fovea {

// config.yaml of a classifier's folder. Beside it lie model.safetensors, the
// vocabulary and labels.txt.
struct ClassifierFolderConfig {
  int format = kModelFormat;
  std::string task = "classify";
  Precision precision = Precision::kFloat32;
  ClassifierConfig model;

  void fields(auto&& field) {
    field("format", format, "of this folder");
    field("task", task, "what the model does");
    field("precision", precision, "of the weights");
    field("model", model, "");
  }
};
void save_classifier_config(const std::string& folder,
                            ClassifierFolderConfig config);

// Labels in the order of their scores, one a line.
void save_labels(const std::string& folder,
                 const std::vector<std::string>& labels);
std::vector<std::string> load_labels(const FileSource& files);

// A model that gives labels, with its vocabulary.
struct ClassifierModel {
  ClassifierFolderConfig config;
  Tokenizer text;
  std::vector<std::string> labels;
  std::unique_ptr<Classifier> model;  // never null; prepared
};

// As load_translation_model.
ClassifierModel load_classifier(const FileSource& files, Precision precision);
// With weights that gradients pass: see load_unpacked.
ClassifierModel load_unpacked_classifier(const FileSource& files);

}  // namespace fovea
