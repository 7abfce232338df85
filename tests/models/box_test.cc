#include "fovea/models/box.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"
#include "fovea/models/folder.h"
#include "support/compare.h"
#include "support/model_folder.h"
#include "support/temp_folder.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;

TEST(Box, HasAModelThatLoadsOrSaysThatThereIsNone) {
  if (has_model_in_the_box()) {
    EXPECT_TRUE(
        load_translation_model(model_in_the_box(), Precision::kInt8).model);
    return;
  }
  try {
    model_in_the_box();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("this binary has no model in the box"));
  }
}

TEST(Box, AModelFromMemoryIsTheOneOfItsFolder) {
  const TempFolder folder;
  write_tiny_folder(folder.path(), tiny_models().front().config);
  std::vector<std::string> texts;
  std::vector<EmbeddedFile> files;
  const char* const names[] = {kConfigFile, kWeightsFile, kSourceVocabulary};
  for (const char* name : names) texts.push_back(bytes_of(folder.file(name)));
  for (size_t i = 0; i < texts.size(); ++i) {
    files.push_back({names[i], std::as_bytes(std::span(texts[i]))});
  }
  const TranslationModel boxed =
      load_translation_model(FileSource("box", files), Precision::kFloat32);
  const TranslationModel read =
      load_translation_model(folder.path(), Precision::kFloat32);
  EXPECT_TRUE(same_bits(forced_scores(*boxed.model).span(),
                        forced_scores(*read.model).span()));
  try {
    load_translation_model(FileSource("box", std::span(files).first(2)),
                           Precision::kFloat32);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "box/source.vocab: there is no such file");
  }
}

}  // namespace
}  // namespace fovea
