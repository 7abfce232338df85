// fovea spell: trains a small model before your eyes to spell backwards.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/reverse_model.h"
#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/base/progress.h"
#include "fovea/base/stop.h"
#include "fovea/explain/heatmap.h"
#include "fovea/explain/render_terminal.h"

namespace fovea::cli {
namespace {

struct SpellConfig {
  int steps = 600;
  int batch = 64;
  int width = 64;
  int longest = 12;
  float lr = 5e-3f;
  int64_t seed = 1;

  void fields(auto&& field) {
    field("steps", steps, "training steps");
    field("batch", batch, "words in a step");
    field("width", width, "width of the encoder in each direction");
    field("longest", longest, "letters of the longest training word");
    field("lr", lr, "learning rate of the first step");
    field("seed", seed, "seed of the weights and of the training words");
  }
};

void check_config(const SpellConfig& c) {
  check_usage(c.steps >= 1, "--steps ", c.steps, ": give at least 1");
  check_usage(c.batch >= 1 && c.batch <= 100000, "--batch ", c.batch,
              ": give a number from 1 to 100000");
  check_usage(c.width >= 1 && c.width <= 4096, "--width ", c.width,
              ": give a number from 1 to 4096");
  check_usage(c.longest >= 3 && c.longest <= 1000, "--longest ", c.longest,
              ": give a number from 3 to 1000");
  check_usage(c.lr > 0, "--lr ", c.lr, ": give a number above 0");
}

// How many of 500 new random words come out right.
int count_right(const ReverseModel& model, const SpellConfig& config) {
  const auto words =
      random_words(RandomKey(config.seed).with("test"), 500, 3, config.longest);
  const auto results = model.reverse(words);
  int right = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    right += std::equal(results[i].rbegin(), results[i].rend(),
                        words[i].begin(), words[i].end());
  }
  return right;
}

void train(const ReverseModel& model, const SpellConfig& config) {
  ReverseTrainer trainer(model);
  Progress progress("train", config.steps);
  for (int step = 1; step <= config.steps && stop_signal() == 0; ++step) {
    const auto words =
        random_words(RandomKey(config.seed).with("train").with(step),
                     config.batch, 3, config.longest);
    // Falls to zero along a line.
    const float rate = config.lr * static_cast<float>(config.steps - step + 1) /
                       static_cast<float>(config.steps);
    const float loss = trainer.step(words, rate);
    progress.update(step,
                    join("loss ", std::fixed, std::setprecision(3), loss));
  }
}

// Where the model looks while it spells the word.
Heatmap map_of(const ReverseModel& model, const std::string& word,
               std::span<const int> letters, std::span<const int> written) {
  auto labels = [](std::span<const int> ids) {
    std::vector<std::string> texts;
    for (const char c : ids_to_letters(ids)) texts.emplace_back(1, c);
    return texts;
  };
  std::vector<std::string> rows = labels(written);
  rows.push_back("(end)");
  Heatmap map = heatmap_of_weights(model.weights(letters, written),
                                   std::move(rows), labels(letters));
  map.title = join("Where it looks while it spells \"", word, "\" backwards");
  map.row_name = "letters as it writes them";
  map.column_name = "letters of the word";
  return map;
}

void show(const ReverseModel& model, const std::vector<std::string>& words) {
  std::vector<std::vector<int>> ids;
  for (const std::string& word : words) ids.push_back(letters_to_ids(word));
  const auto results = model.reverse(ids);
  for (size_t i = 0; i < words.size(); ++i) {
    std::cout << "  " << words[i] << " -> " << ids_to_letters(results[i])
              << "\n";
  }
  std::cout << "\n"
            << render_terminal(map_of(model, words[0], ids[0], results[0]),
                               TerminalOptions::standard_output())
            << "\n";
}

}  // namespace

Run spell(CLI::App& app) {
  auto config = std::make_shared<SpellConfig>();
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config));
  auto words = std::make_shared<std::vector<std::string>>();
  app.add_option("WORD", *words, "words to spell backwards, of small letters")
      ->type_name("");
  return [=] {
    flags->resolve();
    check_config(*config);
    if (words->empty())
      *words = {"attention", "fovea", "stressed", "alignment"};
    for (const std::string& word : *words) letters_to_ids(word);
    std::cout << "A sequence-to-sequence model with attention learns to spell "
                 "words backwards.\nIt trains on random letters; the words "
                 "below are new to it.\n"
              << std::flush;
    const ReverseModel model(config->width, RandomKey(config->seed));
    const StopSignals signals;
    train(model, *config);
    if (stop_signal() != 0) return;
    std::cout << "Of 500 new random words, " << count_right(model, *config)
              << " come out right.\n";
    show(model, *words);
    std::cout << "Try your own words: fovea spell some words\n";
  };
}

}  // namespace fovea::cli
