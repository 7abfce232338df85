#include "cli/flags.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fovea/base/check.h"

namespace fovea::cli {
namespace {

struct Sample {
  float lr = 0.5f;
  float label_smoothing = 0;
  bool tied = true;
  std::vector<int> sizes = {1};
  void fields(auto&& field) {
    field("lr", lr, "peak learning rate");
    field("label-smoothing", label_smoothing, "share for other words");
    field("tied", tied, "share the embeddings");
    field("sizes", sizes, "sizes to try");
  }
};

Sample parsed(std::vector<std::string> words) {
  Sample sample;
  CLI::App app;
  const ConfigFlags flags(app, fields_of(sample));
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  app.parse(words);
  flags.resolve();
  return sample;
}

TEST(ConfigFlags, SetFieldsByName) {
  const Sample sample = parsed({"--lr", "0.25", "--label-smoothing=0.1",
                                "--no-tied", "--sizes", "2,3", "4"});
  EXPECT_EQ(sample.lr, 0.25f);
  EXPECT_EQ(sample.label_smoothing, 0.1f);
  EXPECT_FALSE(sample.tied);
  EXPECT_EQ(sample.sizes, (std::vector<int>{2, 3, 4}));
}

TEST(ConfigFlags, HaveOtherNamesWhereGiven) {
  constexpr FlagAlias kRate[] = {{"lr", "learning-rate"}};
  Sample sample;
  CLI::App app;
  const ConfigFlags flags(app, fields_of(sample), kRate);
  app.parse(std::vector<std::string>{"2", "--learning-rate"});  // reversed
  flags.resolve();
  EXPECT_EQ(sample.lr, 2.0f);
  EXPECT_TRUE(flags.given("lr"));
}

TEST(ConfigFlags, ListsLeaveArgumentsToTheCommand) {
  Sample sample;
  std::string file;
  CLI::App app;
  const ConfigFlags flags(app, fields_of(sample));
  app.add_option("FILE", file);
  std::vector<std::string> words = {"--sizes", "2,3", "text", "--sizes", "4"};
  std::reverse(words.begin(), words.end());
  app.parse(words);
  flags.resolve();
  EXPECT_EQ(file, "text");
  EXPECT_EQ(sample.sizes, (std::vector<int>{2, 3, 4}));
}

TEST(ConfigFlags, LeaveDefaultsAlone) {
  const Sample sample = parsed({});
  EXPECT_EQ(sample.lr, 0.5f);
  EXPECT_TRUE(sample.tied);
}

TEST(ConfigFlags, WinOverTheFileWhereverTheyStand) {
  const auto path = std::filesystem::temp_directory_path() /
                    join("fovea-flags-", ::getpid(), ".yaml");
  std::ofstream(path) << "lr: 0.125\nsizes: [7]\n";
  const Sample first = parsed({"--lr", "2", "--config", path.string()});
  const Sample last = parsed({"--config", path.string(), "--lr", "2"});
  std::filesystem::remove(path);
  for (const Sample& sample : {first, last}) {
    EXPECT_EQ(sample.lr, 2.0f);
    EXPECT_EQ(sample.sizes, (std::vector<int>{7}));
  }
}

TEST(ConfigFlags, RefuseBadValuesAsWrongUsage) {
  try {
    parsed({"--label-smoothing", "lots"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), "--label-smoothing 'lots' is not a number");
  }
}

TEST(ConfigFlags, ShowHelpAndDefaults) {
  Sample sample;
  CLI::App app;
  const ConfigFlags flags(app, fields_of(sample));
  EXPECT_NE(app.help().find("peak learning rate (0.5)"), std::string::npos);
}

}  // namespace
}  // namespace fovea::cli
