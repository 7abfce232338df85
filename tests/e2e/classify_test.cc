// fovea train --task classify and fovea predict, as a user runs them.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fovea/base/rng.h"
#include "fovea/io/text_file.h"
#include "support/command.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;
namespace fs = std::filesystem;

// Made-up reviews: one word tells whether it is liked.
class ClassifyCommand : public ::testing::Test {
 protected:
  ClassifyCommand() {
    folder_.write("train.tsv", reviews(300, 1, false));
    folder_.write("valid.tsv", reviews(60, 2, false));
  }

  static std::string reviews(int lines, int seed, bool fasttext) {
    const std::vector<std::string> noise = {"the", "film", "we", "saw",
                                            "was", "with", "my", "friend"};
    const std::vector<std::string> labels = {"bad", "fair", "good"};
    const std::vector<std::string> tells = {"awful", "mixed", "lovely"};
    std::string text;
    for (int i = 0; i < lines; ++i) {
      const RandomKey key = RandomKey(seed).with(i);
      const auto label = random_below(key, 0, 3);
      text +=
          fasttext ? "__label__" + labels[label] + " " : labels[label] + "\t";
      const auto length = 2 + random_below(key, 1, 5);
      const auto place = random_below(key, 2, length);
      for (uint32_t j = 0; j < length; ++j) {
        text += (j > 0 ? " " : "") +
                (j == place ? tells[label]
                            : noise[random_below(key.with("noise"), j, 8)]);
      }
      text += "\n";
    }
    return text;
  }

  Outcome train(const std::string& out, std::vector<std::string> more = {},
                const std::string& before = "") const {
    std::vector<std::string> all = {"train",
                                    "--task",
                                    "classify",
                                    "--threads",
                                    "1",
                                    "--train",
                                    path("train.tsv"),
                                    "--valid",
                                    path("valid.tsv"),
                                    "--out",
                                    path(out),
                                    "--batch-tokens",
                                    "100",
                                    "--valid-freq",
                                    "20",
                                    "--max-steps",
                                    "100",
                                    "--lr",
                                    "0.005"};
    all.insert(all.end(), more.begin(), more.end());
    return run_command(FOVEA_COMMAND_PATH, all, before);
  }

  Outcome predict(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = {"predict"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_command(FOVEA_COMMAND_PATH, all);
  }

  std::string path(const std::string& name) const { return folder_.file(name); }

  TempFolder folder_;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_F(ClassifyCommand, TrainsAModelThatLabelsLines) {
  const Outcome trained = train("model");
  ASSERT_EQ(trained.code, 0) << trained.err;
  for (const char* name : {"config.yaml", "model.safetensors", "source.vocab",
                           "labels.txt", "history.jsonl", "report.html"}) {
    EXPECT_TRUE(fs::exists(path("model/") + name)) << name;
  }
  EXPECT_EQ(bytes_of(path("model/labels.txt")), "bad\nfair\ngood\n");

  folder_.write("in", "the film was lovely\n\n  \nawful film\n");
  const Outcome labelled = predict({path("model"), path("in")});
  ASSERT_EQ(labelled.code, 0) << labelled.err;
  const std::vector<std::string> lines = lines_of(labelled.out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].substr(0, 7), "good\t0.");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "");
  EXPECT_EQ(lines[3].substr(0, 6), "bad\t0.");

  const Outcome top = predict({path("model"), path("in"), "--top-k", "9"});
  const std::string first = lines_of(top.out)[0];
  EXPECT_EQ(std::count(first.begin(), first.end(), '\t'), 5);

  const Outcome json = predict({path("model"), path("in"), "--json"});
  const std::vector<std::string> objects = lines_of(json.out);
  ASSERT_EQ(objects.size(), 4u);
  const auto object = nlohmann::json::parse(objects[0]);
  EXPECT_EQ(object["labels"][0]["label"], "good");
  EXPECT_GT(object["labels"][0]["probability"], 0.5);
  EXPECT_TRUE(nlohmann::json::parse(objects[1])["labels"].empty());
}

TEST_F(ClassifyCommand, TestsAModelOnLabelledLinesOfBothKinds) {
  ASSERT_EQ(train("model").code, 0);
  folder_.write("test.txt", reviews(50, 3, true));
  const Outcome text = predict({path("model"), "--test", path("test.txt")});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("accuracy  100.00"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("macro-F1"), std::string::npos);
  const Outcome json =
      predict({path("model"), "--test", path("test.txt"), "--json"});
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object["accuracy"], 100);
  EXPECT_EQ(object["labels"].size(), 3u);
  ASSERT_EQ(object["confusion"].size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(object["confusion"][i][i], object["labels"][i]["lines"]);
    EXPECT_EQ(object["confusion"][i][(i + 1) % 3], 0);
  }
  EXPECT_NE(text.out.find("how often each label was given"), std::string::npos);
}

TEST_F(ClassifyCommand, EveryPresetTrains) {
  for (const char* preset :
       {"classify-mean", "classify-mlp-attention", "classify-bilstm-attention",
        "classify-cnn", "classify-transformer"}) {
    // The 3 kernels of the cnn and 4 heads must divide the width.
    const Outcome trained =
        train(preset, {"--preset", preset, "--max-steps", "60", "--width", "36",
                       "--ffn", "36"});
    ASSERT_EQ(trained.code, 0) << trained.err;
    const Outcome tested =
        predict({path(preset), "--test", path("valid.tsv"), "--json"});
    EXPECT_GT(nlohmann::json::parse(tested.out)["accuracy"], 80) << preset;
  }
}

TEST_F(ClassifyCommand, KilledAndContinuedItEndsWithTheSameBytes) {
  ASSERT_EQ(train("whole").code, 0);
  for (const char* seconds : {"0.3", "0.5", "0.7"}) {
    train("killed", {}, std::string("timeout -s KILL ") + seconds);
  }
  const Outcome last = train("killed");
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(bytes_of(path("killed/model.safetensors")),
            bytes_of(path("whole/model.safetensors")));
}

TEST_F(ClassifyCommand, BadInputGivesOneLineAndTheRightCode) {
  const auto expect = [](const Outcome& o, int code,
                         const std::string& message) {
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_NE(o.err.find(message), std::string::npos) << o.err;
  };
  expect(train("bad", {"--preset", "classify-cnm"}), 2, "classify-cnn");
  expect(train("bad", {"--classes.pool", "meen"}), 2, "mean");
  expect(train("bad", {"--stop-metric", "bleu"}), 2, "--stop-metric");
  expect(train("bad", {"--preset", "classify-mlp-attention", "--attend.select",
                       "gated"}),
         2, "--attend.select gated: --classes.pool attention has no use");
  expect(train("bad",
               {"--preset", "classify-mlp-attention", "--attend.heads", "2"}),
         2, "--attend.heads 2: ");
  expect(run_command(FOVEA_COMMAND_PATH,
                     {"train", "--task", "classify", "--out", path("bad")}),
         2, "--train");
  folder_.write("one.tsv", "same\tsome text\nsame\tother text\n");
  expect(run_command(FOVEA_COMMAND_PATH,
                     {"train", "--task", "classify", "--train", path("one.tsv"),
                      "--valid", path("one.tsv"), "--out", path("bad")}),
         3, "two at least");
  expect(predict({path("nowhere")}), 3, "nowhere");
  ASSERT_EQ(train("model").code, 0);
  folder_.write("unlabelled", "no label here\n");
  expect(predict({path("model"), "--test", path("unlabelled")}), 3,
         "unlabelled:1");
  expect(predict({path("model"), path("unlabelled"), "--top-k", "0"}), 2,
         "--top-k");
  expect(run_command(FOVEA_COMMAND_PATH, {"translate", path("model")}), 3,
         "does 'classify'");
}

}  // namespace
}  // namespace fovea
