// fovea train and translate, as a user runs them.
#include <nlohmann/json.hpp>
#include <sstream>

#include "e2e/train_command.h"

namespace fovea {
namespace {

using namespace fovea::testing;
namespace fs = std::filesystem;

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
  const Outcome searched =
      train("model", {"--beam-size", "4", "--dump-config"});
  EXPECT_NE(searched.out.find("\nvalid-beam-size: 4"), std::string::npos)
      << searched.err;
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
  const auto refused = [&](const std::vector<std::string>& flags,
                           const std::string& part) {
    std::vector<std::string> all = {"--start-from", path("first")};
    all.insert(all.end(), flags.begin(), flags.end());
    const Outcome o = train("refused", all);
    EXPECT_EQ(o.code, 2) << o.err;
    EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
  };
  refused({"--preset", "convs2s-tiny"}, "leave --preset out");
  refused({"--text-unit", "bpe"}, "leave --text-unit out");
}

TEST_F(TrainCommand, LosesNoLayerOfTheModelThatItStartsFrom) {
  ASSERT_EQ(train("deep", {"--layers", "2", "--max-steps", "1"}).code, 0);
  const Outcome less =
      train("less", {"--start-from", path("deep"), "--layers", "1"});
  EXPECT_EQ(less.code, 2) << less.err;
  EXPECT_NE(less.err.find("would be lost"), std::string::npos) << less.err;
  // What it prints as its configuration is one.
  const Outcome dumped =
      train("more", {"--start-from", path("deep"), "--dump-config"});
  ASSERT_EQ(dumped.code, 0) << dumped.err;
  std::ofstream(path("more.yaml")) << dumped.out;
  const Outcome more =
      run_command(FOVEA_COMMAND_PATH,
                  {"train", "--config", path("more.yaml"), "--max-steps", "1"});
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_NE(more.err.find("starting from the weights"), std::string::npos);
}

TEST_F(TrainCommand, GuidanceOfAttentionIsFoundAndUsed) {
  const Outcome o = train("model", {"--guided-alignment", "auto"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(fs::exists(path("model/guided/0.align")));
}

}  // namespace
}  // namespace fovea
