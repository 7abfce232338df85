// What the tests of fovea train share.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/rng.h"
#include "fovea/io/text_file.h"
#include "support/command.h"

namespace fovea {

// Sentences of a toy language that are to be turned around.
class TrainCommand : public ::testing::Test {
 protected:
  static constexpr int kValid = 20;

  TrainCommand() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = ::testing::TempDir() + "fovea_train_" + info->name();
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
    write("train", 400, 1);
    write("valid", kValid, 2);
  }
  ~TrainCommand() override { std::filesystem::remove_all(root_); }

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
    const auto given = [&](const std::string& flag) {
      return std::find(more.begin(), more.end(), flag) != more.end();
    };
    for (const auto& [flag, value] : flags) {
      const bool of_model = flag == "--preset" || flag == "--text-unit";
      if (given(flag) || (of_model && given("--start-from"))) continue;
      all.push_back(flag);
      all.push_back(value);
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  testing::Outcome train(const std::string& out,
                         std::vector<std::string> more = {}) const {
    return testing::run_command(FOVEA_COMMAND_PATH,
                                arguments(out, std::move(more)));
  }

  std::string path(const std::string& name) const { return root_ + "/" + name; }
  std::string weights(const std::string& out) const {
    return read_text(path(out + "/checkpoints/step-60/model.safetensors"));
  }

  // Starts the command, waits for a checkpoint, and ends it with a signal.
  int start_and_signal(const std::string& out, int milliseconds, int signal) {
    return testing::run_and_signal(FOVEA_COMMAND_PATH, arguments(out),
                                   milliseconds, signal);
  }

  std::string root_;
};

}  // namespace fovea
