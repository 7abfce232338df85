// fovea train and translate, as a user runs them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <utility>

#include "fovea/base/check.h"
#include "fovea/base/rng.h"
#include "fovea/io/text_file.h"
#include "support/command.h"

namespace fovea {
namespace {

using namespace fovea::testing;
namespace fs = std::filesystem;

// Sentences of a toy language that are to be turned around.
class TrainCommand : public ::testing::Test {
 protected:
  static constexpr int kValid = 20;

  TrainCommand() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = ::testing::TempDir() + "fovea_train_" + info->name();
    fs::remove_all(root_);
    fs::create_directories(root_);
    write("train", 400, 1);
    write("valid", kValid, 2);
  }
  ~TrainCommand() override { fs::remove_all(root_); }

  void write(const std::string& name, int lines, int seed) const {
    const std::vector<std::string> words = {"the", "cat", "sees",
                                            "a",   "dog", "here"};
    std::ofstream source(root_ + "/" + name + ".src");
    std::ofstream target(root_ + "/" + name + ".tgt");
    for (int i = 0; i < lines; ++i) {
      std::string from, to;
      const RandomKey key = RandomKey(seed).with(i);
      const auto length = 1 + random_below(key, 0, 5);
      for (uint32_t j = 1; j <= length; ++j) {
        const std::string& word = words[random_below(key, j, words.size())];
        from = from.empty() ? word : from + " " + word;
        to = to.empty() ? word : word + " " + to;
      }
      source << from << "\n";
      target << to << "\n";
    }
  }

  // The command, with other values for some of its flags.
  std::vector<std::string> arguments(const std::string& out,
                                     std::vector<std::string> more = {}) const {
    std::vector<std::pair<std::string, std::string>> flags = {
        {"--src", path("train.src")},
        {"--tgt", path("train.tgt")},
        {"--valid-src", path("valid.src")},
        {"--valid-tgt", path("valid.tgt")},
        {"--preset", "transformer-mini"},
        {"--text-unit", "words"},
        {"--width", "32"},
        {"--batch-tokens", "200"},
        {"--max-steps", "60"},
        {"--valid-freq", "20"},
        {"--save-freq", "7"},
        {"--lr-warmup", "10"},
        {"--out", path(out)}};
    std::vector<std::string> all = {"train", "--threads", "1"};
    for (const auto& [flag, value] : flags) {
      if (std::find(more.begin(), more.end(), flag) != more.end()) continue;
      all.push_back(flag);
      all.push_back(value);
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Outcome train(const std::string& out,
                std::vector<std::string> more = {}) const {
    return run_command(FOVEA_COMMAND_PATH, arguments(out, std::move(more)));
  }

  std::string path(const std::string& name) const { return root_ + "/" + name; }
  std::string weights(const std::string& out) const {
    return read_text(path(out + "/checkpoints/step-60/model.safetensors"));
  }

  // Starts the command, waits for a checkpoint, and ends it with a signal.
  int start_and_signal(const std::string& out, int milliseconds, int signal) {
    return run_and_signal(FOVEA_COMMAND_PATH, arguments(out), milliseconds,
                          signal);
  }

  std::string root_;
};

TEST_F(TrainCommand, TrainsAModelThatTranslates) {
  const Outcome trained = train("model", {"--max-steps", "600"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_NE(trained.err.find("finished: reached --max-steps 600"),
            std::string::npos)
      << trained.err;
  for (const char* name : {"config.yaml", "model.safetensors", "source.vocab",
                           "history.jsonl", "report.html", "train.yaml"}) {
    EXPECT_TRUE(fs::exists(path("model/") + name)) << name;
  }
  EXPECT_NE(read_text(path("model/config.yaml")).find("source-length: 5"),
            std::string::npos);
  std::ofstream(path("in")) << "the cat sees\n\na dog here\n";
  const Outcome translated =
      run_command(FOVEA_COMMAND_PATH, {"translate", path("model"), path("in")});
  EXPECT_EQ(translated.code, 0) << translated.err;
  EXPECT_EQ(translated.out, "sees cat the\n\nhere dog a\n");
}

TEST_F(TrainCommand, KilledAtRandomMomentsItEndsWithTheSameBytes) {
  ASSERT_EQ(train("whole").code, 0);
  for (int i = 0; i < 4; ++i) {
    start_and_signal("killed", 150 + 170 * i, SIGKILL);
  }
  const Outcome last = train("killed");
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(weights("killed"), weights("whole"));
  EXPECT_EQ(read_text(path("killed/model.safetensors")),
            read_text(path("whole/model.safetensors")));
}

TEST_F(TrainCommand, ASignalSavesAndTheSameCommandGoesOn) {
  ASSERT_EQ(train("whole").code, 0);
  int code = 0;  // done before the signal came: try an earlier one
  for (int wait = 500; code == 0 && wait > 20; wait /= 2) {
    fs::remove_all(root_ + "/stopped");
    code = start_and_signal("stopped", wait, SIGTERM);
  }
  EXPECT_EQ(code, 143);
  const Outcome again = train("stopped");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(weights("stopped"), weights("whole"));
}

// A limit on the size of files fails like a full disk.
TEST_F(TrainCommand, AFullDiskIsNamedAndTheRunCanBeRepeated) {
  ASSERT_EQ(train("whole").code, 0);
  const Outcome full = run_command(FOVEA_COMMAND_PATH, arguments("full"),
                                   "trap \"\" XFSZ; ulimit -f 20;");
  EXPECT_EQ(full.code, 4) << full.err;
  EXPECT_NE(full.err.find("fovea: "), std::string::npos);
  const Outcome again = train("full");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(weights("full"), weights("whole"));
}

TEST_F(TrainCommand, AFinishedRunSaysSoAndChangedOptionsAreNamed) {
  ASSERT_EQ(train("model").code, 0);
  const Outcome again = train("model");
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.err.find("this run is finished"), std::string::npos)
      << again.err;
  const Outcome changed = train("model", {"--seed", "2"});
  EXPECT_EQ(changed.code, 2);
  EXPECT_NE(changed.err.find("seed (was '1', now '2')"), std::string::npos)
      << changed.err;
  const Outcome anew = train("model", {"--seed", "2", "--overwrite"});
  EXPECT_EQ(anew.code, 0) << anew.err;
}

TEST_F(TrainCommand, DumpedConfigTrainsTheSame) {
  const Outcome dumped = train("a", {"--dump-config"});
  ASSERT_EQ(dumped.code, 0);
  std::ofstream(path("c.yaml")) << dumped.out;
  ASSERT_EQ(train("a").code, 0);
  const Outcome run =
      run_command(FOVEA_COMMAND_PATH, {"train", "--threads", "1", "--config",
                                       path("c.yaml"), "--out", path("b")});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(weights("a"), weights("b"));
}

TEST_F(TrainCommand, BadInputGivesOneLineAndTheRightCode) {
  const auto expect = [&](const std::vector<std::string>& more, int code,
                          const std::string& message) {
    const Outcome o = train("bad", more);
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_NE(o.err.find(message), std::string::npos) << o.err;
  };
  expect({"--src", path("nowhere")}, 3, "nowhere");
  expect({"--valid-src", path("train.src")}, 3, "lines");
  expect({"--preset", "transformer-tiy"}, 2, "transformer-tiny");
  expect({"--lr", "-1"}, 2, "--lr");
  expect({"--heads", "5"}, 2, "heads");
  expect({"--memory", "1"}, 2, "--memory");
  const Outcome missing = run_command(FOVEA_COMMAND_PATH, {"train"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("--out"), std::string::npos);
  const Outcome no_model =
      run_command(FOVEA_COMMAND_PATH, {"translate", path("nowhere")});
  EXPECT_EQ(no_model.code, 3);
}

TEST_F(TrainCommand, ABadOptionIsNamedBeforeAnythingIsRemoved) {
  ASSERT_EQ(train("model").code, 0);
  const std::string before = read_text(path("model/model.safetensors"));
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"--lr", "-1"},
      {"--valid-beam-size", "0"},
      {"--label-smoothing", "1.5"},
      {"--dropout", "1"},
      {"--encode.attention-dropout", "-0.1"},
      {"--max-steps", "-1"},
      {"--early-stopping", "-1"},
      {"--valid-freq", "-1"},
      {"--keep", "-1"},
      {"--average", "-1"},
      {"--save-minutes", "-1"},
      {"--loss-weights", "coverag=1"},
      {"--corpus-weights", "1,2"},
      {"--beta2", "1"},
      {"--target-vocab", path("train.tgt")},
      {"--heads", "5"}};
  for (const auto& [flag, value] : bad) {
    const Outcome o = train("model", {flag, value, "--overwrite"});
    EXPECT_EQ(o.code, 2) << flag << ": " << o.err;
    const std::string name = flag == "--heads" ? "heads" : flag;
    EXPECT_NE(o.err.find(name), std::string::npos) << flag << ": " << o.err;
  }
  const Outcome no_file =
      train("model", {"--src", path("nowhere"), "--overwrite"});
  EXPECT_EQ(no_file.code, 3) << no_file.err;
  EXPECT_EQ(read_text(path("model/model.safetensors")), before);
}

TEST_F(TrainCommand, AnswersFlagsOfOtherToolsAndListsNames) {
  const std::vector<std::pair<std::string, std::string>> meant = {
      {"--patience", "'--early-stopping'"},
      {"--epochs", "'--max-epochs'"},
      {"--learning-rate", "'--lr'"}};
  for (const auto& [flag, known] : meant) {
    const Outcome o = run_command(FOVEA_COMMAND_PATH, {"train", flag, "3"});
    EXPECT_EQ(o.code, 2);
    EXPECT_NE(o.err.find("did you mean " + known), std::string::npos) << o.err;
  }
  const Outcome help = run_command(FOVEA_COMMAND_PATH, {"train", "--help"});
  for (const char* name :
       {"inverse_sqrt, noam", "amsgrad, sgd", "unigram, bpe", "bleu, chrf"}) {
    EXPECT_NE(help.out.find(name), std::string::npos) << name;
  }
}

TEST_F(TrainCommand, NoamKnowsTheWidthOfTheModel) {
  const Outcome o = train(
      "model", {"--schedule", "noam", "--lr", "1", "--display-freq", "10"});
  ASSERT_EQ(o.code, 0) << o.err;
  std::istringstream history(read_text(path("model/history.jsonl")));
  std::string line;
  std::getline(history, line);
  const auto first = nlohmann::json::parse(line);
  EXPECT_EQ(first.at("step"), 10);
  EXPECT_NEAR(first.at("lr").get<double>(), 1 / std::sqrt(32.0 * 10), 1e-6);
}

TEST_F(TrainCommand, NothingOfAnAttemptThatFailedIsUsedWithOtherOptions) {
  const Outcome full = run_command(
      FOVEA_COMMAND_PATH, arguments("model", {"--text-unit", "characters"}),
      "trap \"\" XFSZ; ulimit -f 20;");
  ASSERT_EQ(full.code, 4) << full.err;
  ASSERT_TRUE(fs::exists(path("model/source.vocab")));
  ASSERT_EQ(train("model").code, 0);
  ASSERT_EQ(train("clean").code, 0);
  EXPECT_EQ(read_text(path("model/source.vocab")),
            read_text(path("clean/source.vocab")));
  EXPECT_EQ(weights("model"), weights("clean"));
}

TEST_F(TrainCommand, TextThatChangedIsNamedAndNotLearntFrom) {
  ASSERT_EQ(train("model").code, 0);
  std::string state = read_text(path("model/state.yaml"));
  const size_t at = state.find("finished: true");
  ASSERT_NE(at, std::string::npos);
  state.replace(at, 14, "finished: false");
  std::ofstream(path("model/state.yaml")) << state;
  std::ofstream(path("train.tgt"), std::ios::app) << "a\n";
  std::ofstream(path("train.src"), std::ios::app) << "a\n";
  const Outcome again = train("model");
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("train.src"), std::string::npos) << again.err;
}

TEST_F(TrainCommand, SaysWhatItChoseAndWhatItLeavesOut) {
  const auto expect = [&](const Outcome& o,
                          const std::vector<std::string>& messages) {
    EXPECT_EQ(o.code, 0) << o.err;
    for (const std::string& message : messages) {
      EXPECT_NE(o.err.find(message), std::string::npos) << message << "\n in \n"
                                                        << o.err;
    }
  };
  std::ofstream(path("links")) << "0-0 9-9\nnonsense\n"
                               << [] {
                                    std::string rest;
                                    for (int i = 2; i < 400; ++i)
                                      rest += "0-0\n";
                                    return rest;
                                  }();
  expect(train("a", {"--skip-duplicates", "--guided-alignment", path("links")}),
         {"transformer-mini, 2+2 layers, width 32, 4 heads, feed-forward 128, "
          "dropout 0.1",
          "an epoch", "batches of 200 tokens at most",
          "times duplicate (lines seen before): skipped; the first in ",
          "2 times bad-link (word links that cannot be): left out"});
  expect(train("b", {"--batch-tokens", "5"}),
         {"what --batch-tokens 5 can hold: left out"});
  const Outcome unguided =
      train("c", {"--preset", "bottleneck-tiny", "--guided-alignment", "auto"});
  EXPECT_EQ(unguided.code, 2);
  EXPECT_NE(unguided.err.find("--guided-alignment needs attention"),
            std::string::npos)
      << unguided.err;
}

TEST_F(TrainCommand, WidthChangesAPresetAsAWhole) {
  const Outcome o = train("model", {"--preset", "rnnsearch-small", "--width",
                                    "256", "--dump-config"});
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* part : {"embed", "encode", "predict"}) {
    const std::string section = o.out.substr(o.out.find(join("\n", part, ":")));
    const std::string width = part == std::string("encode") ? "512" : "256";
    const size_t at = section.find("width: ");
    EXPECT_EQ(section.substr(at, 10), "width: " + width) << part;
  }
}

// A first run, then other text with the weights and words of its model: the
// second one knows from the first step on what the first one learnt.
TEST_F(TrainCommand, GoesOnFromAModelThereIs) {
  ASSERT_EQ(train("first", {"--max-steps", "300"}).code, 0);
  write("other", 50, 3);
  const std::vector<std::string> more = {"--src",        path("other.src"),
                                         "--tgt",        path("other.tgt"),
                                         "--start-from", path("first"),
                                         "--max-steps",  "1",
                                         "--valid-freq", "1",
                                         "--lr",         "1e-9",
                                         "--average",    "1"};
  const Outcome second = train("second", more);
  ASSERT_EQ(second.code, 0) << second.err;
  std::ofstream(path("in")) << "the cat sees\na dog here\n";
  for (const char* model : {"first", "second"}) {
    EXPECT_EQ(
        run_command(FOVEA_COMMAND_PATH, {"translate", path(model), path("in")})
            .out,
        "sees cat the\nhere dog a\n")
        << model;
  }
  const Outcome wider =
      train("wider", {"--start-from", path("first"), "--width", "64"});
  EXPECT_EQ(wider.code, 2) << wider.err;
  EXPECT_NE(wider.err.find("does not fit"), std::string::npos) << wider.err;
  EXPECT_EQ(train("none", {"--start-from", path("nothing")}).code, 3);
}

TEST_F(TrainCommand, GuidanceOfAttentionIsFoundAndUsed) {
  const Outcome o = train("model", {"--guided-alignment", "auto"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(fs::exists(path("model/guided/0.align")));
}

}  // namespace
}  // namespace fovea
