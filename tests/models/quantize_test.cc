#include "fovea/models/quantize.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"
#include "fovea/models/checkpoint.h"
#include "fovea/models/classifier_folder.h"
#include "support/compare.h"
#include "support/model_folder.h"
#include "support/temp_folder.h"
#include "support/tiny_classifiers.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;

std::string complaint(const std::string& from, const std::string& to) {
  try {
    quantize_model(from, to);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "nothing";
}

TEST(Quantize, RefusesWhatIsInt8AndFoldersThatHoldAModel) {
  const TempFolder folder;
  const std::string a = folder.file("a"), b = folder.file("b");
  write_tiny_folder(a, tiny_models().front().config);
  EXPECT_EQ(complaint(a, b), "nothing");
  EXPECT_EQ(complaint(b, folder.file("c")), b + ": is int8 already");
  EXPECT_NE(complaint(a, b).find("holds a model already"), std::string::npos);
}

TEST(Quantize, StoresOneScaleForEachRowOfEachWeight) {
  const TempFolder folder;
  const std::string a = folder.file("a"), b = folder.file("b");
  write_tiny_folder(a, tiny_models().front().config);
  quantize_model(a, b);
  const SafetensorsFile before(weights_file(a)), after(weights_file(b));
  const TensorBytes& table = after.find("source.table");
  EXPECT_EQ(table.type, "I8");
  EXPECT_EQ(table.shape, before.find("source.table").shape);
  EXPECT_EQ(after.find("source.table.scale").shape[0], table.shape[0]);
  for (const TensorBytes& t : after.tensors()) {
    const bool norm = t.name.find("norm") != std::string::npos;
    EXPECT_FALSE(norm && t.type != "F32") << t.name;
  }
}

TEST(Quantize, NumbersThatWouldOverflowAreADataError) {
  const TempFolder folder;
  const std::string a = folder.file("a"), b = folder.file("b");
  write_tiny_folder(a, tiny_models().front().config);
  quantize_model(a, b);
  std::vector<TensorBytes> tensors;
  const std::string bytes = bytes_of(weights_file(b));
  const SafetensorsFile file({{}, std::as_bytes(std::span(bytes))}, "copy");
  const TensorBytes& table = file.find("source.table");
  std::vector<std::byte> changed(table.bytes.begin(), table.bytes.end());
  changed.back() = std::byte{65};
  for (TensorBytes t : file.tensors()) {
    if (t.name == table.name) t.bytes = changed;
    tensors.push_back(std::move(t));
  }
  save_with_checksum(weights_file(b), tensors);
  try {
    load_translation_model(b, Precision::kInt8);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_NE(std::string(error.what()).find("source.table has 65 in 8 bits"),
              std::string::npos)
        << error.what();
  }
}

TEST(Quantize, AClassifierGivesTheSameBitsToo) {
  const TempFolder folder;
  const std::string a = folder.file("a"), b = folder.file("b");
  for (const char* encoder : {"cnn", "transformer", "mlp"}) {
    std::filesystem::remove_all(a);
    std::filesystem::remove_all(b);
    std::filesystem::create_directories(a);
    ClassifierFolderConfig config;
    config.model = tiny_classifier(encoder, "attention");
    const Tokenizer words = tiny_tokenizer();
    config.model.words = words.size();
    Classifier model(config.model, RandomKey(1));
    save_parameters(weights_file(a), Params(model));
    words.save(source_vocabulary_file(a));
    save_labels(a, {"x", "y", "z"});
    save_classifier_config(a, config);
    quantize_model(a, b);
    const ClassifierModel rough = load_classifier(a, Precision::kInt8);
    const ClassifierModel stored = load_classifier(b, Precision::kFloat32);
    EXPECT_EQ(stored.labels, rough.labels);
    const Batch batch = tiny_labelled_batch(1, 6);
    const NoGrad none;
    EXPECT_TRUE(
        same_bits(stored.model->logits(batch.source, Pass{}).value().span(),
                  rough.model->logits(batch.source, Pass{}).value().span()))
        << encoder;
  }
}

}  // namespace
}  // namespace fovea
