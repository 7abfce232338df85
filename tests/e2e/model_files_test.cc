// fovea average, quantize and shortlist, as a user runs them.
#include <gtest/gtest.h>

#include <filesystem>

#include "fovea/io/text_file.h"
#include "support/command.h"
#include "support/model_folder.h"
#include "support/temp_folder.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;
namespace fs = std::filesystem;

class ModelFiles : public ::testing::Test {
 protected:
  ModelFiles() {
    write_tiny_folder(a_, tiny_models().front().config, 1);
    write_tiny_folder(b_, tiny_models().front().config, 2);
    folder_.write("src", "w3 w4\nw5 w6 w7\nw8\n");
    folder_.write("tgt", "w4 w3\nw7 w6 w5\nw8\n");
  }
  static Outcome run(const std::vector<std::string>& arguments) {
    return run_command(FOVEA_COMMAND_PATH, arguments);
  }
  Outcome translate(const std::string& model) const {
    return run({"translate", model, folder_.file("src")});
  }

  TempFolder folder_;
  std::string a_ = folder_.file("a"), b_ = folder_.file("b"),
              c_ = folder_.file("c");
};

TEST_F(ModelFiles, AverageWritesAModelThatTranslates) {
  const Outcome outcome = run({"average", "--out", c_, a_, b_});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(translate(c_).code, 0);
  EXPECT_EQ(run({"average", "--out", c_, a_, b_}).code, 2) << "it is there";
  EXPECT_EQ(run({"average", a_, b_}).code, 2);
  const Outcome nothing =
      run({"average", "--out", folder_.file("d"), a_, folder_.file("none")});
  EXPECT_EQ(nothing.code, 3);
  EXPECT_NE(nothing.err.find("none: is neither"), std::string::npos)
      << nothing.err;
}

TEST_F(ModelFiles, QuantizeWritesASmallModelThatTranslates) {
  const Outcome outcome = run({"quantize", a_, "--out", c_});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(read_text(c_ + "/config.yaml").find("precision: int8"),
            std::string::npos);
  EXPECT_LT(fs::file_size(weights_file(c_)), fs::file_size(weights_file(a_)));
  EXPECT_EQ(translate(c_).code, 0);
  EXPECT_EQ(run({"quantize", c_, "--out", folder_.file("d")}).code, 2);
  EXPECT_EQ(run({"quantize", folder_.path(), "--out", "d"}).code, 3);
}

TEST_F(ModelFiles, ShortlistGoesIntoTheModelsFolder) {
  const Outcome outcome =
      run({"shortlist", a_, "--src", folder_.file("src"), "--tgt",
           folder_.file("tgt"), "--frequent", "2", "--each", "3"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const TranslationModel model =
      load_translation_model(a_, Precision::kFloat32);
  const auto shortlist = load_shortlist(a_, model);
  ASSERT_TRUE(shortlist.has_value());
  const std::vector<int> ids = model.source.encode("w8");
  const std::vector<int> words = shortlist->words_for(ids);
  EXPECT_TRUE(std::ranges::binary_search(words, ids[0]));
  EXPECT_TRUE(std::ranges::binary_search(words, model.target.end()));
  EXPECT_FALSE(load_shortlist(b_, model).has_value());
}

TEST_F(ModelFiles, ShortlistNeedsTextsOfOneLength) {
  folder_.write("short", "w4\n");
  const Outcome outcome = run({"shortlist", a_, "--src", folder_.file("src"),
                               "--tgt", folder_.file("short")});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("short: has fewer lines"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(run({"shortlist", a_}).code, 2);
}

TEST_F(ModelFiles, DamagedOnesGiveOneLineThatNamesTheFile) {
  const auto src = folder_.file("src"), tgt = folder_.file("tgt");
  ASSERT_EQ(run({"shortlist", a_, "--src", src, "--tgt", tgt}).code, 0);
  const std::string foreign = "PK\3\4 no model at all";
  for (const char* name :
       {kWeightsFile, kSourceVocabulary, kConfigFile, kShortlistFile}) {
    const std::string path = a_ + "/" + name, whole = read_text(path);
    std::string flipped = whole;
    flipped[name == std::string(kConfigFile) ? 2 : whole.size() - 3] ^= 4;
    for (const std::string& bytes :
         {whole.substr(0, whole.size() / 2), flipped, foreign}) {
      replace_file(path, bytes);
      const Outcome outcome = translate(a_);
      EXPECT_EQ(outcome.code, 3) << name;
      EXPECT_NE(outcome.err.find(std::string(name) + ":"), std::string::npos)
          << outcome.err;
      EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    }
    replace_file(path, whole);
  }
  EXPECT_EQ(translate(a_).code, 0);
}

TEST_F(ModelFiles, AverageAndQuantizeKeepTheShortlist) {
  const auto src = folder_.file("src"), tgt = folder_.file("tgt");
  ASSERT_EQ(run({"shortlist", a_, "--src", src, "--tgt", tgt}).code, 0);
  const std::string whole = read_text(a_ + "/" + kShortlistFile);
  ASSERT_EQ(run({"average", "--out", c_, a_, b_}).code, 0);
  EXPECT_EQ(read_text(c_ + "/" + kShortlistFile), whole);
  ASSERT_EQ(run({"quantize", a_, "--out", folder_.file("d")}).code, 0);
  EXPECT_EQ(read_text(folder_.file("d/") + kShortlistFile), whole);
}

TEST_F(ModelFiles, NothingToLearnFromLeavesTheShortlistThatThereIs) {
  const auto src = folder_.file("src"), tgt = folder_.file("tgt");
  ASSERT_EQ(run({"shortlist", a_, "--src", src, "--tgt", tgt}).code, 0);
  const std::string whole = read_text(a_ + "/" + kShortlistFile);
  for (const char* text : {"", "\n\n"}) {
    const std::string empty = folder_.write("empty", text);
    const Outcome o = run({"shortlist", a_, "--src", empty, "--tgt", empty});
    EXPECT_EQ(o.code, 3);
    EXPECT_NE(o.err.find("no text to learn from"), std::string::npos) << o.err;
    EXPECT_EQ(read_text(a_ + "/" + kShortlistFile), whole);
  }
}

TEST_F(ModelFiles, SayWhatCannotBeDoneWithTheModelInTheBox) {
  const auto said = [&](const std::vector<std::string>& arguments) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 2) << o.err;
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
    return o.err;
  };
  const auto src = folder_.file("src"), tgt = folder_.file("tgt");
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(said({"quantize", "box", "--out", c_}), "is int8 already"));
  EXPECT_TRUE(has(said({"average", "box", a_, "--out", c_}), "is int8"));
  EXPECT_TRUE(has(said({"shortlist", "box", "--src", src, "--tgt", tgt}),
                  "part of this program"));
}

}  // namespace
}  // namespace fovea
