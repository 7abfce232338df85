#include "cli/help_format.h"

#include <gtest/gtest.h>

#include "cli/flags.h"

namespace fovea::cli {
namespace {

struct Sample {
  bool tied = true;
  int size = 3;
  void fields(auto&& field) {
    field("tied", tied, "share the embeddings");
    field("size", size, "how large");
  }
};

TEST(HelpFormat, ShowsThatAFlagCanBeTakenBack) {
  Sample sample;
  CLI::App app;
  app.formatter(help_format());
  const ConfigFlags flags(app, fields_of(sample));
  const std::string help = app.help();
  EXPECT_NE(help.find("--[no-]tied "), std::string::npos) << help;
  EXPECT_NE(help.find("--size VALUE "), std::string::npos) << help;
  EXPECT_EQ(help.find('{'), std::string::npos) << help;
}

}  // namespace
}  // namespace fovea::cli
