#include "fovea/models/classifier_folder.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"
#include "fovea/models/checkpoint.h"
#include "support/temp_folder.h"
#include "support/tiny_classifiers.h"

namespace fovea {
namespace {

using namespace fovea::testing;

class ClassifierFolder : public ::testing::Test {
 protected:
  ClassifierFolder() {
    const Tokenizer words =
        Tokenizer::train({.unit = TextUnit::kWords},
                         [](const auto& give) { give("the film is good"); });
    config_.model = tiny_classifier("mlp", "attention");
    config_.model.words = words.size();
    config_.model.labels = static_cast<int>(labels_.size());
    Classifier model(config_.model, RandomKey(1));
    save_parameters(weights_file(folder_.path()), Params(model));
    words.save(source_vocabulary_file(folder_.path()));
    save_labels(folder_.path(), labels_);
    save_classifier_config(folder_.path(), config_);
  }

  std::string message() const {
    try {
      load_classifier(folder_.path(), Precision::kFloat32);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      return error.what();
    }
    return "no error";
  }

  TempFolder folder_;
  ClassifierFolderConfig config_;
  std::vector<std::string> labels_ = {"bad", "good", "so so"};
};

TEST_F(ClassifierFolder, ComesBackAsItWas) {
  ClassifierModel loaded = load_classifier(folder_.path(), Precision::kFloat32);
  EXPECT_EQ(loaded.labels, labels_);
  EXPECT_TRUE(
      changed_fields(fields_of(loaded.config), fields_of(config_)).empty());
  EXPECT_EQ(loaded.text.encode("good film").size(), 2u);
}

TEST_F(ClassifierFolder, SaysWhatDoesNotFit) {
  save_labels(folder_.path(), {"bad", "good"});
  EXPECT_NE(message().find("2 labels"), std::string::npos) << message();
}

TEST_F(ClassifierFolder, AndTranslationModelsAreNotMixedUp) {
  save_folder_config(folder_.path(), {});
  EXPECT_NE(message().find("does 'translate', not 'classify'"),
            std::string::npos)
      << message();
  save_classifier_config(folder_.path(), config_);
  try {
    load_translation_model(folder_.path(), Precision::kFloat32);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("does 'classify'"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fovea
