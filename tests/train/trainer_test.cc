#include "fovea/train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"
#include "fovea/models/seq2seq.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;
namespace fs = std::filesystem;

struct Crash {};

// A small text that is to be copied, and a folder for each run.
class TrainerTest : public ::testing::Test {
 protected:
  TrainerTest() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = ::testing::TempDir() + "fovea_trainer_" + info->name();
    fs::remove_all(root_);
    fs::create_directories(root_);
    std::ofstream text(root_ + "/text");
    for (int i = 0; i < 60; ++i) {
      for (int j = 0; j <= i % 7; ++j) {
        text << static_cast<char>('a' + (i * 7 + j * 3) % 20);
      }
      text << "\n";
    }
    text.close();
    TokenizerConfig characters;
    characters.unit = TextUnit::kCharacters;
    characters.byte_fallback = false;
    tokenizer_ = std::make_unique<Tokenizer>(
        Tokenizer::train(characters, [&](const auto& give) {
          std::ifstream lines(root_ + "/text");
          std::string line;
          while (std::getline(lines, line)) give(line);
        }));
    CorpusConfig corpus;
    corpus.src = corpus.tgt = {root_ + "/text"};
    corpus.batch_tokens = 60;
    corpus_ = std::make_unique<Corpus>(
        Corpus::of_pairs(corpus, *tokenizer_, *tokenizer_));
    config_.max_steps = 24;
    config_.valid_freq = 8;
    config_.save_freq = 5;
    config_.display_freq = 3;
    config_.smoothing = 0.9f;
    config_.schedule.warmup = 4;
  }
  ~TrainerTest() override { fs::remove_all(root_); }

  std::unique_ptr<Seq2Seq> make_model() const {
    ModelConfig model = model_;
    model.vocabulary = {.source = tokenizer_->size(),
                        .target = tokenizer_->size(),
                        .begin = tokenizer_->begin(),
                        .end = tokenizer_->end()};
    return std::make_unique<Seq2Seq>(model, RandomKey(1));
  }

  TrainerEvents events() {
    return {.validate = [this](int64_t step, bool) {
      return Validation{
          .numbers = {},
          .score = score_ ? score_(step) : static_cast<double>(step),
          .loss = loss_ ? loss_(step) : 0.0};
    }};
  }

  // All parameters after a run in this folder, or as far as it came.
  std::vector<float> run(const std::string& name, TrainerEvents events) {
    RunFolder folder(root_ + "/" + name, false);
    const std::unique_ptr<Seq2Seq> model = make_model();
    Trainer trainer(*model, *corpus_, folder, config_, std::move(events));
    trainer.run();
    return parameters_of(*model);
  }

  static std::vector<float> parameters_of(Seq2Seq& model) {
    std::vector<float> all;
    const Params params(model);
    for (const auto& p : params.parameters()) {
      const auto values = p.value->value().span();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  std::string root_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<Corpus> corpus_;
  TrainerConfig config_;
  ModelConfig model_ = tiny_models().front().config;
  std::function<double(int64_t)> score_, loss_;
};

TEST_F(TrainerTest, TheLossFalls) {
  double first = 0, last = 0;
  TrainerEvents watching = events();
  watching.displayed = [&](const StepReport& r) {
    if (first == 0) first = r.loss;
    last = r.loss;
  };
  config_.max_steps = 120;
  config_.early_stopping = 0;
  run("a", watching);
  EXPECT_LT(last, first - 0.5);
}

TEST_F(TrainerTest, ACrashAtAnyStepChangesNoByte) {
  const std::vector<float> whole = run("whole", events());
  for (const int64_t at : {1, 4, 5, 6, 8, 13, 23, 24}) {
    const std::string name = "crash" + std::to_string(at);
    TrainerEvents crashing = events();
    crashing.stepped = [at](const StepReport& r) {
      if (r.step == at) throw Crash{};
    };
    EXPECT_THROW(run(name, crashing), Crash);
    EXPECT_EQ(run(name, events()), whole) << "crashed at step " << at;
  }
}

TEST_F(TrainerTest, ACrashInEveryStepStillGetsThere) {
  config_.save_freq = 1;
  const std::vector<float> whole = run("whole", events());
  std::vector<float> result;
  for (int tries = 0; result.empty(); ++tries) {
    ASSERT_LT(tries, 60);
    TrainerEvents crashing = events();
    int steps = 0;
    crashing.stepped = [&](const StepReport&) {
      if (++steps == 2) throw Crash{};
    };
    try {
      result = run("crashes", crashing);
    } catch (const Crash&) {
    }
  }
  EXPECT_EQ(result, whole);
}

// Costs of choices, and the words that a decoder reads in the place of gold
// ones, are computed without a graph: by the parameters of now, not by those
// that the last validation has packed.
TEST_F(TrainerTest, ACrashBehindAValidationChangesNoByteWhereTheModelIsAsked) {
  config_.save_freq = 1;
  const auto check = [&](const std::string& name) {
    const std::vector<float> whole = run(name, events());
    for (const int64_t at : {9, 18}) {
      TrainerEvents crashing = events();
      crashing.stepped = [at](const StepReport& r) {
        if (r.step == at) throw Crash{};
      };
      const std::string again = name + std::to_string(at);
      EXPECT_THROW(run(again, crashing), Crash);
      EXPECT_EQ(run(again, events()), whole) << again;
    }
  };
  config_.teacher_forcing = 0.5f;
  check("own_words");
  config_.teacher_forcing = 1;
  model_.attend.select = "hard_reinforce";
  check("choices");
}

// A signal ends a validation; it is asked for again when the run goes on.
TEST_F(TrainerTest, AValidationThatWasAbandonedChangesNoByte) {
  config_.max_steps = 22;
  const std::vector<float> whole = run("whole", events());
  std::vector<int64_t> asked;
  TrainerEvents stopping = events();
  stopping.validate = [&, judge = stopping.validate](
                          int64_t step,
                          bool of_mean) -> std::optional<Validation> {
    asked.push_back(of_mean ? -step : step);
    const bool again = asked.size() >= 2 && asked.end()[-2] == asked.back();
    if (!again) return std::nullopt;
    return judge(step, of_mean);
  };
  std::vector<float> result;
  for (int i = 0; i < 5; ++i) result = run("stopped", stopping);
  EXPECT_EQ(result, whole);
  EXPECT_EQ(asked, (std::vector<int64_t>{8, 8, 16, 16, 22, 22, -22, -22}));
  const RunFolder one(root_ + "/whole", false),
      other(root_ + "/stopped", false);
  for (const char* name : {"/state.yaml", "/checkpoints/step-22/state.yaml"}) {
    EXPECT_EQ(read_text(one.path() + name), read_text(other.path() + name));
  }
}

// The end has a validation of its own if the last step has none, a checkpoint,
// and the mean of checkpoints.
TEST_F(TrainerTest, ACrashAtTheEndChangesNoByteAndJudgesTheLastStepOnce) {
  config_.max_steps = 22;
  config_.save_freq = 2;
  config_.keep = config_.average = 3;
  const std::vector<float> whole = run("whole", events());
  int judged = 0;
  const auto counting = [&](bool crashes) {
    TrainerEvents all = events();
    all.validate = [&judged, crashes, judge = all.validate](int64_t step,
                                                            bool of_mean) {
      if (of_mean && crashes) throw Crash{};
      judged += step == 22 && !of_mean;
      return judge(step, of_mean);
    };
    return all;
  };
  EXPECT_THROW(run("crash", counting(true)), Crash);
  EXPECT_THROW(run("crash", counting(true)), Crash);
  EXPECT_EQ(run("crash", counting(false)), whole);
  EXPECT_EQ(judged, 1);
  const RunFolder one(root_ + "/whole", false), other(root_ + "/crash", false);
  EXPECT_EQ(one.index().kept, (std::vector<int64_t>{18, 20, 22}));
  EXPECT_EQ(other.index().kept, one.index().kept);
  EXPECT_EQ(other.index().best, one.index().best);
  for (const char* name : {"/state.yaml", "/checkpoints/step-22/state.yaml"}) {
    EXPECT_EQ(read_text(one.path() + name), read_text(other.path() + name));
  }
}

TEST_F(TrainerTest, ACheckpointThatWasJudgedLaterCountsOnceAndAsTheBest) {
  config_.save_freq = 6;
  config_.valid_freq = 1000;
  run("a", events());
  const RunFolder folder(root_ + "/a", false);
  EXPECT_EQ(folder.index().kept, (std::vector<int64_t>{0, 6, 12, 18, 24}));
  EXPECT_EQ(folder.index().best, 24);
}

TEST_F(TrainerTest, WeightsOfExtraLossesChangeTheParameters) {
  model_.attend.select = "gated";
  config_.max_steps = 3;
  const std::vector<float> own = run("own", events());
  config_.loss_weights = {"gate_sparsity=0.001"};
  EXPECT_EQ(run("same", events()), own);
  config_.loss_weights = {"gate_sparsity=5"};
  EXPECT_NE(run("more", events()), own);
  config_.loss_weights = {"gate_sparsitty=5"};
  EXPECT_THROW(run("unknown", events()), Error);
}

TEST_F(TrainerTest, TheFormOfLabelSmoothingChangesTheParameters) {
  config_.max_steps = 3;
  const std::vector<float> wrong = run("wrong", events());
  config_.smooth_all = true;
  EXPECT_NE(run("all", events()), wrong);
}

// A mean of raw ones would not be what the validations judged.
TEST_F(TrainerTest, TheMeanIsOfSmoothedParameters) {
  config_.smoothing = 0.9999f;
  config_.average = 2;
  config_.valid_freq = 12;
  config_.save_freq = 0;
  std::vector<std::vector<float>> judged;
  TrainerEvents watching = events();
  const std::unique_ptr<Seq2Seq> model = make_model();
  watching.validate = [&](int64_t, bool) {
    judged.push_back(parameters_of(*model));
    return Validation{};
  };
  RunFolder folder(root_ + "/a", false);
  Trainer(*model, *corpus_, folder, config_, watching).run();
  ASSERT_EQ(judged.size(), 3u);
  for (size_t i = 0; i < judged[0].size(); ++i) {
    EXPECT_EQ(judged[2][i],
              static_cast<float>((double{judged[0][i]} + judged[1][i]) / 2));
  }
}

TEST_F(TrainerTest, StopsWhenNothingImproves) {
  config_.max_steps = 1000;
  config_.early_stopping = 3;
  score_ = [](int64_t step) { return step <= 16 ? step : 0.0; };
  run("a", events());
  const RunFolder folder(root_ + "/a", false);
  EXPECT_TRUE(folder.index().finished);
  EXPECT_EQ(folder.index().last, 16 + 3 * 8);
  EXPECT_EQ(folder.index().best, 16);
  EXPECT_EQ(folder.index().reason, "no better score in 3 validations");
}

TEST_F(TrainerTest, TheLossDecidesBetweenEqualScores) {
  config_.max_steps = 1000;
  config_.early_stopping = 3;
  config_.average = 0;
  score_ = [](int64_t) { return 0.0; };
  loss_ = [](int64_t step) {
    return std::abs(40.0 - static_cast<double>(step));
  };
  TrainerEvents crashing = events();
  crashing.stepped = [](const StepReport& r) {
    if (r.step == 45) throw Crash{};
  };
  EXPECT_THROW(run("a", crashing), Crash);
  run("a", events());
  const RunFolder folder(root_ + "/a", false);
  EXPECT_EQ(folder.index().best, 40);
  EXPECT_EQ(folder.index().last, 40 + 3 * 8);
  // A better score counts more than any loss.
  score_ = [](int64_t step) { return step == 8 ? 1.0 : 0.0; };
  run("b", events());
  EXPECT_EQ(RunFolder(root_ + "/b", false).index().best, 8);
}

TEST_F(TrainerTest, KeepsTheBestAndTheLastCheckpoints) {
  config_.keep = 2;
  config_.average = 0;
  score_ = [](int64_t step) { return step == 8 ? 1.0 : 0.0; };
  run("a", events());
  const RunFolder folder(root_ + "/a", false);
  EXPECT_TRUE(fs::exists(folder.checkpoint(8)));
  EXPECT_TRUE(fs::exists(folder.checkpoint(24)));
  EXPECT_TRUE(fs::exists(folder.checkpoint(20)));
  EXPECT_FALSE(fs::exists(folder.checkpoint(16)));
  EXPECT_FALSE(fs::exists(folder.checkpoint(5)));
}

TEST_F(TrainerTest, AFinishedRunDoesNothingMore) {
  run("a", events());
  TrainerEvents none = events();
  none.stepped = [](const StepReport&) { FAIL() << "a step"; };
  none.validate = [](int64_t, bool) -> Validation {
    ADD_FAILURE() << "a validation";
    return {};
  };
  run("a", none);
}

TEST_F(TrainerTest, TwoTrainersCannotShareAFolder) {
  const RunFolder folder(root_ + "/a", false);
  EXPECT_THROW(RunFolder(root_ + "/a", false), Error);
}

TEST_F(TrainerTest, ALossThatExplodesIsAnsweredBySmallerSteps) {
  config_.max_steps = 200;
  config_.schedule = {
      .schedule = Schedule::kConstant, .lr = 300.0f, .min_lr = 0, .warmup = 0};
  config_.optimizer.clip_norm = 0;
  try {
    run("a", events());
  } catch (const Error& error) {
    // Five halvings may not be enough; then it says what to do.
    EXPECT_NE(std::string(error.what()).find("smaller --lr"),
              std::string::npos);
  }
  const RunFolder folder(root_ + "/a", false);
  EXPECT_GE(folder.index().recoveries, 1);
  EXPECT_LT(folder.index().rate_factor, 1.0);
}

TEST_F(TrainerTest, OverwriteRemovesWhatARunLeftAndNothingElse) {
  run("a", events());
  std::ofstream(root_ + "/a/notes.txt") << "mine";
  const RunFolder folder(root_ + "/a", true);
  EXPECT_EQ(folder.index().last, -1);
  EXPECT_FALSE(fs::exists(folder.checkpoint(24)));
  EXPECT_TRUE(fs::exists(root_ + "/a/notes.txt"));
}

}  // namespace
}  // namespace fovea
