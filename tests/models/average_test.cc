#include "fovea/models/average.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"
#include "fovea/models/quantize.h"
#include "support/model_folder.h"
#include "support/temp_folder.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;
namespace fs = std::filesystem;

class Average : public ::testing::Test {
 protected:
  Average() {
    write_tiny_folder(a_, tiny_models().front().config, 1);
    write_tiny_folder(b_, tiny_models().front().config, 2);
  }
  std::string complaint(const std::vector<std::string>& parts) const {
    try {
      average_models(parts, folder_.file("out"));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      return error.what();
    }
    return "nothing";
  }

  TempFolder folder_;
  std::string a_ = folder_.file("a"), b_ = folder_.file("b"),
              c_ = folder_.file("c");
};

TEST_F(Average, IsTheMeanOfAllParametersAndAModelAgain) {
  const std::vector<std::string> parts = {a_, b_, b_};
  average_models(parts, c_);
  const SafetensorsFile a(weights_file(a_)), b(weights_file(b_)),
      c(weights_file(c_));
  EXPECT_EQ(c.tensors().size(), a.tensors().size());
  for (const TensorBytes& t : c.tensors()) {
    const Tensor mean = c.view(t.name), x = a.view(t.name), y = b.view(t.name);
    for (int64_t i = 0; i < mean.size(); ++i) {
      EXPECT_EQ(mean[i],
                static_cast<float>((double{x[i]} + y[i] + double{y[i]}) / 3));
    }
  }
  EXPECT_TRUE(load_translation_model(c_, Precision::kFloat32).model);
}

TEST_F(Average, TakesCheckpointsOfARun) {
  for (const auto& [step, from] : {std::pair{"step-5", a_}, {"step-10", b_}}) {
    const std::string to = join(a_, "/checkpoints/", step);
    fs::create_directories(to);
    fs::copy(weights_file(from), weights_file(to));
  }
  const std::vector<std::string> steps = {a_ + "/checkpoints/step-5",
                                          a_ + "/checkpoints/step-10"};
  average_models(steps, c_);
  const std::string other = folder_.file("d");
  average_models(std::vector<std::string>{a_, b_}, other);
  EXPECT_EQ(read_text(weights_file(c_)), read_text(weights_file(other)));
}

TEST_F(Average, OfARunThatSmoothsItIsThatOfSmoothedParameters) {
  const std::string step = a_ + "/checkpoints/step-5";
  fs::create_directories(step);
  fs::copy(weights_file(a_), weights_file(step));
  const SafetensorsFile b(weights_file(b_));
  std::vector<NamedTensor> smoothed;
  for (const TensorBytes& t : b.tensors()) {
    smoothed.push_back({t.name + kSmoothed, b.view(t.name)});
  }
  save_with_checksum(step + "/" + kOptimizerFile, smoothed);
  average_models(std::vector<std::string>{step}, c_);
  const SafetensorsFile c(weights_file(c_));
  for (const TensorBytes& t : b.tensors()) {
    EXPECT_EQ(c.view(t.name)[0], b.view(t.name)[0]) << t.name;
  }
}

TEST_F(Average, SaysWhatDoesNotFit) {
  ModelConfig wider = tiny_models().front().config;
  wider.encode.ffn += 1;
  write_tiny_folder(c_, wider);
  EXPECT_NE(complaint({a_, c_}).find("F32 [25, 16]"), std::string::npos)
      << complaint({a_, c_});
  EXPECT_NE(complaint({a_, folder_.path()}).find("neither the folder"),
            std::string::npos);
  const std::string small = folder_.file("int8");
  quantize_model(a_, small);
  EXPECT_NE(complaint({small, small}).find("then quantize"), std::string::npos)
      << complaint({small, small});
  replace_file(b_ + "/source.vocab", "another");
  EXPECT_NE(complaint({a_, b_}).find("source.vocab: differs"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(folder_.file("out"))) << "nothing is left behind";
}

}  // namespace
}  // namespace fovea
