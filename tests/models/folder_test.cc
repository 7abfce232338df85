#include "fovea/models/folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fovea/base/check.h"
#include "fovea/base/rng.h"
#include "fovea/io/text_file.h"
#include "fovea/models/checkpoint.h"
#include "fovea/tensor/allocator.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;
namespace fs = std::filesystem;

class ModelFolder : public ::testing::Test {
 protected:
  ModelFolder() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = ::testing::TempDir() + "fovea_folder_" + info->name();
    fs::remove_all(path_);
    fs::create_directories(path_);
    TokenizerConfig words;
    words.unit = TextUnit::kWords;
    const Tokenizer tokenizer = Tokenizer::train(
        words, [](const auto& give) { give("a cat sees a dog"); });
    tokenizer.save(source_vocabulary_file(path_));
    config_.model = tiny_models().front().config;
    config_.model.vocabulary = {.source = tokenizer.size(),
                                .target = tokenizer.size(),
                                .begin = tokenizer.begin(),
                                .end = tokenizer.end()};
    save_folder_config(path_, config_);
    Seq2Seq model(config_.model, RandomKey(1));
    save_parameters(weights_file(path_), Params(model));
  }
  ~ModelFolder() override { fs::remove_all(path_); }

  // What loading it says.
  std::string complaint() const {
    try {
      load_translation_model(path_, Precision::kFloat32);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      return error.what();
    }
    return "nothing";
  }
  void change_config(const std::string& from, const std::string& to) const {
    std::string text = read_text(path_ + "/config.yaml");
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, from.size(), to);
    replace_file(path_ + "/config.yaml", text);
  }

  std::string path_;
  FolderConfig config_;
};

TEST_F(ModelFolder, IsLoadedAsItWasSaved) {
  const TranslationModel model =
      load_translation_model(path_, Precision::kFloat32);
  EXPECT_EQ(model.config.model.encode.ffn, config_.model.encode.ffn);
  EXPECT_EQ(model.source.size(), config_.model.vocabulary.source);
  EXPECT_EQ(complaint(), "nothing");
}

TEST_F(ModelFolder, OfANewerFormatSaysSo) {
  change_config("format: 2", "shiny: true\nformat: 3");
  EXPECT_NE(complaint().find("format 3"), std::string::npos) << complaint();
}

TEST_F(ModelFolder, WithoutAFormatIsNoModel) {
  change_config("format: 2", "");
  EXPECT_NE(complaint().find("names no format"), std::string::npos);
}

TEST_F(ModelFolder, NamesWhatIsMissing) {
  fs::remove(weights_file(path_));
  EXPECT_NE(complaint().find("model.safetensors"), std::string::npos);
  fs::remove(source_vocabulary_file(path_));
  EXPECT_NE(complaint().find("source.vocab"), std::string::npos);
  fs::remove(path_ + "/config.yaml");
  EXPECT_NE(complaint().find("holds no model"), std::string::npos);
  fs::remove_all(path_);
  EXPECT_NE(complaint().find("no such folder"), std::string::npos);
}

TEST_F(ModelFolder, WeightsOfAnotherModelAreRefused) {
  change_config("ffn: 24", "ffn: 25");
  EXPECT_NE(complaint().find("expected"), std::string::npos) << complaint();
}

TEST_F(ModelFolder, OfAnotherTaskIsRefused) {
  change_config("task: translate", "task: classify");
  EXPECT_NE(complaint().find("'classify'"), std::string::npos);
}

TEST_F(ModelFolder, OfTheFirstFormatIsStillRead) {
  change_config("format: 2", "format: 1");
  change_config("precision: float32", "");
  EXPECT_EQ(complaint(), "nothing");
}

TEST_F(ModelFolder, DamagedWeightsAreRefusedByName) {
  const std::string path = weights_file(path_), whole = read_text(path);
  for (const size_t length : {whole.size() - 1, whole.size() / 2, size_t{9}}) {
    replace_file(path, whole.substr(0, length));
    EXPECT_TRUE(complaint().starts_with(path)) << complaint();
  }
  replace_file(path, std::string(5000, 'x'));
  EXPECT_TRUE(complaint().starts_with(path)) << complaint();
  const size_t key_at = whole.find(kChecksum);
  for (int trial = 0; trial < 200; ++trial) {
    const RandomKey key = RandomKey(1).with(trial);
    std::string flipped = whole;
    const auto at = random_below(key, 0, static_cast<uint32_t>(whole.size()));
    flipped[at] = static_cast<char>(flipped[at] ^ 1 << random_below(key, 1, 8));
    replace_file(path, flipped);
    // Spaces behind the header and the key of the checksum may change.
    const std::string said = complaint();
    const bool harmless = whole[at] == ' ' || (at >= key_at && at < key_at + 8);
    EXPECT_TRUE(said.starts_with(path) || harmless) << said;
  }
}

TEST_F(ModelFolder, ImpossibleSizesCostNothingAndAreTheConfigsFault) {
  const size_t before = Allocator::shared().stats().high_water;
  for (const char* width : {"2000000000", "1000000", "0", "-1"}) {
    change_config("ffn: 24", join("ffn: ", width));
    const std::string said = complaint();
    EXPECT_TRUE(said.starts_with(path_)) << said;
    change_config(join("ffn: ", width), "ffn: 24");
  }
  change_config("layers: 2", "layers: 10000000");
  EXPECT_TRUE(complaint().starts_with(path_ + "/config.yaml")) << complaint();
  const size_t after = Allocator::shared().stats().high_water;
  EXPECT_LE(after - before, size_t{16} << 20);
}

}  // namespace
}  // namespace fovea
