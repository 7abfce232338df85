#include "fovea/models/inference.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "fovea/base/check.h"
#include "fovea/models/checkpoint.h"
#include "fovea/models/quantize.h"
#include "fovea/tensor/allocator.h"
#include "support/compare.h"
#include "support/model_folder.h"
#include "support/temp_folder.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// Laws of every model's folder.
class InferenceLaws : public ::testing::TestWithParam<TinyModel> {
 protected:
  InferenceLaws() { write_tiny_folder(path_, GetParam().config, 3); }

  TempFolder folder_;
  const std::string path_ = folder_.file("model");
};

TEST_P(InferenceLaws, ALoadedModelIsTheTrainedOneToTheBit) {
  for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
    const TranslationModel loaded = load_translation_model(path_, precision);
    Seq2Seq trained(loaded.config.model, RandomKey(9));
    const Params params(trained);
    load_parameters(weights_file(path_), params);
    params.prepare(precision);
    EXPECT_TRUE(same_bits(forced_scores(*loaded.model).span(),
                          forced_scores(trained).span()));
  }
}

TEST_P(InferenceLaws, AnInt8FolderGivesTheBitsOfTheFloatOneInInt8) {
  const std::string small = folder_.file("int8");
  quantize_model(path_, small);
  const TranslationModel whole =
      load_translation_model(path_, Precision::kInt8);
  const TranslationModel loaded =
      load_translation_model(small, Precision::kFloat32);
  EXPECT_EQ(loaded.config.precision, Precision::kInt8);
  EXPECT_TRUE(same_bits(forced_scores(*loaded.model).span(),
                        forced_scores(*whole.model).span()));
}

TEST_P(InferenceLaws, AnUnpackedModelLetsGradientsPassAndGivesTheSame) {
  const std::string small = folder_.file("int8");
  quantize_model(path_, small);
  const TranslationModel packed =
      load_translation_model(path_, Precision::kFloat32);
  const Tensor truth = forced_scores(*packed.model);
  for (const std::string& from : {path_, small}) {
    const TranslationModel loaded = load_unpacked_translation_model(from);
    const bool is_small = from == small;
    EXPECT_TRUE(close(forced_scores(*loaded.model).span(), truth.span(),
                      is_small ? 0.1 : 1e-4));
    const Batch batch = tiny_batch(3, 2);
    const Var rows = Var::parameter(
        loaded.model->embed(batch.source, Pass{}).value().clone());
    const Encoded source = loaded.model->encode(rows, batch.source.of, Pass{});
    loaded.model
        ->readout(loaded.model->forced(source, batch.target, Pass{}).hidden)
        .backward(Tensor::full(
            {batch.target.of.total(), loaded.config.model.vocabulary.target},
            0.5f));
    EXPECT_TRUE(static_cast<bool>(rows.grad()));
  }
}

TEST_P(InferenceLaws, PackedWeightsAreKeptInNoOtherForm) {
  const TranslationModel loaded =
      load_translation_model(path_, Precision::kFloat32);
  const Params params(*loaded.model);
  int dropped = 0;
  for (const Params::Parameter& p : params.parameters()) {
    EXPECT_NE(static_cast<bool>(p.value->value()), params.is_needless(*p.value))
        << p.name;
    EXPECT_FALSE(p.value->needs_grad()) << p.name;
    dropped += params.is_needless(*p.value);
  }
  EXPECT_GT(dropped, 2);
}

INSTANTIATE_TEST_SUITE_P(All, InferenceLaws, ::testing::ValuesIn(tiny_models()),
                         [](const auto& one) {
                           return tiny_model_name(one.param);
                         });

TEST(Inference, ALargeModelTakesItsSizeOnce) {
  const TempFolder folder;
  ModelConfig config;
  config.embed.width = config.encode.width = config.predict.width = 128;
  config.encode.ffn = config.predict.ffn = 1024;
  write_tiny_folder(folder.path(), config);
  const auto size = static_cast<double>(
      std::filesystem::file_size(weights_file(folder.path())));
  const auto live = [] {
    return static_cast<double>(Allocator::shared().stats().live);
  };
  const double before = live();
  const TranslationModel loaded =
      load_translation_model(folder.path(), Precision::kFloat32);
  EXPECT_NEAR((live() - before) / size, 1, 0.05);
  const double between = live();
  const TranslationModel rough =
      load_translation_model(folder.path(), Precision::kInt8);
  EXPECT_NEAR((live() - between) / size, 0.25, 0.05);
}

TEST(Inference, AnInt8FileIsAQuarterOfTheFloatOne) {
  const TempFolder folder;
  ModelConfig config;
  config.embed.width = config.encode.width = config.predict.width = 128;
  config.encode.ffn = config.predict.ffn = 1024;
  const std::string path = folder.file("a"), small = folder.file("b");
  write_tiny_folder(path, config);
  quantize_model(path, small);
  const auto size = [](const std::string& p) {
    return static_cast<double>(std::filesystem::file_size(weights_file(p)));
  };
  EXPECT_LT(size(small) / size(path), 0.28);
}

}  // namespace
}  // namespace fovea
