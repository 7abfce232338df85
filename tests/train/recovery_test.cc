// What a run does when its loss grows, or when a checkpoint is damaged.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"
#include "fovea/train/trainer.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// One number that every step makes smaller, and a loss that the test tells.
class TestedModel : public Model {
 public:
  BatchLoss loss(const Batch& batch, const LossOptions&,
                 const Pass&) const override {
    const auto rows = static_cast<int64_t>(batch.target.of.total());
    const double each = told ? told() : 1.0;
    return {.total = sum(weight),
            .loss = each * static_cast<double>(rows),
            .nll = 0,
            .rows = rows};
  }
  void params(Params& p) override { p("weight", weight); }

  Var weight = Var::parameter(Tensor::full({1}, 1.0f));
  std::function<double()> told;
};

class RecoveryTest : public ::testing::Test {
 protected:
  RecoveryTest() {
    text_ = folder_.write("text", "a\nb\nc\nd\n");
    TokenizerConfig words;
    words.unit = TextUnit::kWords;
    tokenizer_ = std::make_unique<Tokenizer>(
        Tokenizer::train(words, [](const auto& give) {
          for (const char* word : {"a", "b", "c", "d"}) give(word);
        }));
    CorpusConfig corpus;
    corpus.src = corpus.tgt = {text_};
    corpus.batch_tokens = 4;
    corpus_ = std::make_unique<Corpus>(
        Corpus::of_pairs(corpus, *tokenizer_, *tokenizer_));
    config_.max_steps = 60;
    config_.save_freq = 10;
  }

  // The steps that the run went back to, and the number it ended with.
  struct Result {
    std::vector<int64_t> back;
    float weight = 0;
  };
  Result run(const std::string& name,
             const std::function<double(int64_t, bool)>& loss = {}) {
    TestedModel model;
    Result result;
    int64_t step = 0;
    if (loss) model.told = [&] { return loss(step + 1, result.back.empty()); };
    RunFolder folder(folder_.file(name), false);
    Trainer trainer(model, *corpus_, folder, config_,
                    {.stepped =
                         [&](const StepReport& report) {
                           if (report.step <= step)
                             result.back.push_back(report.step - 1);
                           step = report.step;
                         },
                     .validate =
                         [](int64_t, bool) {
                           return Validation{
                               .numbers = {}, .score = 0, .loss = 0};
                         }});
    step = trainer.step();
    trainer.run();
    result.weight = model.weight.value()[0];
    return result;
  }

  // As if a run had been stopped at its last step.
  void reopen(const std::string& name) {
    RunFolder folder(folder_.file(name), false);
    RunIndex index = folder.index();
    index.finished = false;
    folder.set_index(index);
  }
  void damage(const std::string& name, int64_t step,
              const std::string& file) const {
    const std::string path =
        folder_.file(join(name, "/checkpoints/step-", step, "/", file));
    std::string bytes = bytes_of(path);
    bytes.back() = static_cast<char>(~bytes.back());
    std::ofstream(path) << bytes;
  }

  TempFolder folder_;
  std::string text_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<Corpus> corpus_;
  TrainerConfig config_;
};

// The checkpoint of step 30 is of a model that is lost already.
TEST_F(RecoveryTest, GoesBackBehindTheGrowthOfTheLoss) {
  const Result result = run("a", [](int64_t step, bool first) {
    return first && step > 20 ? 12.0 : 1.0;
  });
  EXPECT_EQ(result.back, (std::vector<int64_t>{20}));
  const RunFolder folder(folder_.file("a"), false);
  EXPECT_EQ(folder.index().recoveries, 1);
  EXPECT_EQ(folder.index().kept, (std::vector<int64_t>{20, 30, 40, 50, 60}));
}

TEST_F(RecoveryTest, AnInterruptedRunGoesBackToTheSameStep) {
  const auto grows = [](int64_t step, bool first) {
    return first && step > 20 ? 12.0 : 1.0;
  };
  const Result whole = run("whole", grows);
  EXPECT_THROW(run("crash",
                   [&](int64_t step, bool first) {
                     if (step == 33) throw std::runtime_error("a crash");
                     return grows(step, first);
                   }),
               std::runtime_error);
  const Result rest = run("crash", grows);
  EXPECT_EQ(rest.back, whole.back);
  EXPECT_EQ(rest.weight, whole.weight);
}

// Choosing blindly among six words costs 1.8 nats: growing by as much is an
// end, while among thousands it may be noise.
TEST_F(RecoveryTest, AModelWithFewChoicesHasLittleToLose) {
  const auto grows = [](int64_t step, bool first) {
    return first && step > 20 ? 3.0 : 0.2;
  };
  config_.max_steps = 100;
  EXPECT_TRUE(run("many", grows).back.empty());
  config_.choices = 6;
  EXPECT_EQ(run("few", grows).back, (std::vector<int64_t>{20}));
}

// In the middle of the file of the model, or of the optimiser's state.
TEST_F(RecoveryTest, ADamagedCheckpointCostsStepsAndNoByte) {
  const Result whole = run("whole");
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    const std::string name = std::string("damaged-") + file;
    config_.max_steps = 40;
    run(name);
    reopen(name);
    damage(name, 40, file);
    config_.max_steps = 60;
    EXPECT_EQ(run(name).weight, whole.weight) << file;
    const RunFolder folder(folder_.file(name), false);
    EXPECT_EQ(folder.index().kept, (std::vector<int64_t>{20, 30, 40, 50, 60}));
  }
}

TEST_F(RecoveryTest, NamesTheRemedyIfNoCheckpointCanBeRead) {
  config_.max_steps = 20;
  run("a");
  reopen("a");
  for (const int64_t step : {0, 10, 20}) damage("a", step, "model.safetensors");
  try {
    run("a");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_NE(std::string(error.what()).find("--overwrite"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fovea
