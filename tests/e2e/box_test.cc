// The model in the box, as a user meets it.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/command.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;
namespace fs = std::filesystem;

Outcome fovea_command(const std::vector<std::string>& arguments,
                      const std::string& before = "") {
  return run_command(FOVEA_COMMAND_PATH, arguments, before);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Box, TranslatesWhereNoModelIsNamed) {
  const TempFolder folder;
  const std::string in = folder.write("in", "I love you.\n\nThank you.\n");
  const Outcome o = fovea_command({"translate"}, "cat " + in + " |");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "Je t'aime.\n\nMerci.\n");
  EXPECT_EQ(fovea_command({"translate", "box", in}).out, o.out);
}

TEST(Box, GoesWithACopyOfTheCommand) {
  const TempFolder folder;
  fs::copy_file(FOVEA_COMMAND_PATH, folder.file("copy"));
  const std::string in = folder.write("in", "Thank you.\n");
  const Outcome o = run_command("./copy", {"translate", "box", in},
                                "cd " + folder.path() + " &&");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "Merci.\n");
}

TEST(Box, ScoresWhereNoModelIsNamed) {
  const TempFolder folder;
  const Outcome o =
      fovea_command({"score", "--src", folder.write("en", "Thank you.\n"),
                     "--tgt", folder.write("fr", "Merci.\n")});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_LT(std::stof(o.out), 0);
  EXPECT_GT(std::stof(o.out), -3);  // it is likely
}

TEST(Box, AFileIsNoModel) {
  const TempFolder folder;
  const Outcome o =
      fovea_command({"translate", folder.write("in.txt", "Thank you.\n")});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(contains(o.err, "in.txt: is a file where a model's folder"))
      << o.err;
  EXPECT_EQ(o.out, "");
}

TEST(DemoCommand, ShowsTranslationsWithMaps) {
  const Outcome o = fovea_command({"demo", "Thank you.", "", "Go\xff!"},
                                  "COLORTERM=truecolor TERM=xterm-256color");
  EXPECT_EQ(o.code, 0) << o.err;
  for (const char* part :
       {"  Thank you.\n  -> Merci.\n", "\nMerci. |", "Go\xef\xbf\xbd!",
        "0 [ .:-=+*#%@] 1", "not by itself an explanation",
        "What to try next"}) {
    EXPECT_TRUE(contains(o.out, part)) << part << "\n" << o.out;
  }
  EXPECT_FALSE(contains(o.out, "\033"));
}

TEST(DemoCommand, HasSentencesOfItsOwnAndAsksNoPipe) {
  const Outcome o = fovea_command({"demo"}, "echo ignored |");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "  A black cat is sleeping on my bed.\n  -> "))
      << o.out;
  EXPECT_FALSE(contains(o.out, "Your sentence, or nothing")) << o.out;
}

}  // namespace
}  // namespace fovea
