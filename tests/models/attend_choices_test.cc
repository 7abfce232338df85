// SPEC D24: nearly the same solution for many problems. One task, one model;
// only names in the config change.
#include <gtest/gtest.h>

#include <ostream>

#include "fovea/attend/registry.h"
#include "fovea/attend/reinforce.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/base/check.h"
#include "fovea/models/classifier.h"
#include "fovea/train/loss_weights.h"
#include "fovea/train/optimizer.h"
#include "support/tiny_classifiers.h"

namespace fovea {
namespace {

using namespace fovea::testing;

constexpr int kEnd = 2, kFirstWord = 3;

// Texts of 3 to 7 words, one of which tells the label.
Batch marked_texts(uint64_t seed, int texts) {
  std::vector<Example> examples;
  for (int i = 0; i < texts; ++i) {
    const RandomKey key = RandomKey(seed).with(i);
    const int label = static_cast<int>(random_below(key, 0, kTinyLabels));
    const int length = 3 + static_cast<int>(random_below(key, 1, 5));
    constexpr int kFirstNoise = kFirstWord + kTinyLabels;
    std::vector<int> words;
    for (int j = 0; j < length; ++j) {
      words.push_back(kFirstNoise +
                      static_cast<int>(random_below(key.with("noise"), j,
                                                    kTinyWords - kFirstNoise)));
    }
    words[random_below(key, 2, length)] = kFirstWord + label;
    examples.push_back({.source = words, .label = label, .line = i});
  }
  return make_batch(std::move(examples), {.source = kEnd});
}

// Fields of the config and what they are set to.
struct AttendChoice {
  std::string name;
  std::vector<std::pair<std::string, std::string>> settings;
};
std::ostream& operator<<(std::ostream& out, const AttendChoice& choice) {
  return out << choice.name;
}

ClassifierConfig config_of(const AttendChoice& choice) {
  ClassifierConfig config = tiny_classifier("recurrent", "query");
  for (const auto& setting : choice.settings) {
    bool found = false;
    for (const Field& field : fields_of(config)) {
      if (field.name != setting.first) continue;
      found = field.set({setting.second});
    }
    EXPECT_TRUE(found) << setting.first << " = " << setting.second;
  }
  return config;
}

// All parts there are, each with what it needs beside it. Left out: "exact",
// which finds only keys that equal the query bit by bit and so learns nothing.
std::vector<AttendChoice> all_choices() {
  std::vector<AttendChoice> all = {
      {"pool_mean", {{"classes.pool", "mean"}}},
      {"pool_sum", {{"classes.pool", "sum"}}},
      {"pool_max", {{"classes.pool", "max"}}},
      {"pool_last", {{"classes.pool", "last"}}},
      {"pool_attention", {{"classes.pool", "attention"}}},
      {"multi_head", {{"attend.heads", "4"}}}};
  for (const auto& score : score_registry()) {
    const std::string name = score.name;
    if (name == "exact") continue;
    all.push_back({"score_" + name, {{"attend.score", name}}});
    // Kernels that are 0 beyond their width must reach the keys.
    if (name == "boxcar" || name == "epanechnikov") {
      all.back().settings.push_back({"attend.options", "width=20"});
    }
  }
  for (const auto& extent : extent_registry()) {
    all.push_back(
        {join("extent_", extent.name), {{"attend.extent", extent.name}}});
  }
  for (const auto& normaliser : normaliser_registry()) {
    const std::string name = normaliser.name;
    all.push_back({"normaliser_" + name, {{"attend.normaliser", name}}});
    if (name == "sum") {  // of similarities
      all.back().settings.push_back({"attend.score", "gaussian"});
    }
  }
  for (const auto& select : select_registry()) {
    all.push_back(
        {join("select_", select.name), {{"attend.select", select.name}}});
  }
  for (const auto& position : position_registry()) {
    all.push_back({join("position_", position.name),
                   {{"attend.position", position.name}}});
  }
  return all;
}

// As the trainer does it.
void step(const Classifier& model, Optimizer& optimizer, int number) {
  std::vector<Loss> losses;
  std::vector<Update> updates;
  std::vector<Choice> choices;
  const Batch batch = marked_texts(number, 32);
  const Pass pass{.training = true,
                  .key = RandomKey(number),
                  .losses = &losses,
                  .updates = &updates,
                  .choices = &choices};
  Var total = model.loss(batch, {}, pass).total;
  const LossWeights weights({});
  for (const Loss& extra : losses) {
    const double weight = weights[extra.name] / batch.size();
    total = total + scale(extra.value, static_cast<float>(weight));
  }
  total.backward();
  optimizer.step(number, 1e-2f, optimizer.gradient_norm());
  for (const Update& u : updates) u.buffer.copy_from(u.value);
}

class LongAttendChoices : public ::testing::TestWithParam<AttendChoice> {};

TEST_P(LongAttendChoices, LearnTheSameTaskByConfigAlone) {
  Classifier model(config_of(GetParam()), RandomKey(1));
  const Params params(model);
  Optimizer optimizer({}, params);
  for (int number = 1; number <= 300; ++number) step(model, optimizer, number);
  const NoGrad none;
  const BatchLoss held_out = model.loss(marked_texts(1000, 200), {}, Pass{});
  // Chance is log 3 = 1.1.
  EXPECT_LT(held_out.nll / static_cast<double>(held_out.rows), 0.3);
}

INSTANTIATE_TEST_SUITE_P(All, LongAttendChoices,
                         ::testing::ValuesIn(all_choices()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace fovea
