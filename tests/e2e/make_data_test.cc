// The command fovea make-data, as its users run it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/command.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using testing::bytes_of;
using testing::Outcome;
using testing::TempFolder;

Outcome make_data(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "make-data");
  return testing::run_command(FOVEA_COMMAND_PATH, arguments);
}

int64_t lines_of(const std::string& path) {
  const std::string bytes = bytes_of(path);
  return std::count(bytes.begin(), bytes.end(), '\n');
}

TEST(MakeDataCommand, WritesPairsAndTheirLinks) {
  const TempFolder folder;
  for (const char* task : {"reverse", "copy", "sort", "reorder", "recall"}) {
    const std::string out = folder.file(task);
    const Outcome outcome = make_data({task, "--lines", "20", "--out", out});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const char* ending : {".src", ".tgt", ".align"}) {
      EXPECT_EQ(lines_of(out + ending), 20) << task << ending;
    }
  }
}

TEST(MakeDataCommand, WritesLabelledLinesWithTheirEvidence) {
  const TempFolder folder;
  const std::string out = folder.file("evidence");
  const Outcome outcome =
      make_data({"evidence", "--lines", "20", "--out", out});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lines_of(out + ".tsv"), 20);
  EXPECT_EQ(lines_of(out + ".align"), 20);
  const std::string text = bytes_of(out + ".tsv");
  EXPECT_TRUE(text.starts_with("up\t") || text.starts_with("down\t"));
}

TEST(MakeDataCommand, HasNoLinksForDates) {
  const TempFolder folder;
  const Outcome outcome = make_data(
      {"dates", "--lines", "3", "--part", "test", "--out", folder.file("d")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lines_of(folder.file("d.tgt")), 3);
  EXPECT_FALSE(std::filesystem::exists(folder.file("d.align")));
}

TEST(MakeDataCommand, WritesTheSameBytesForTheSameSeed) {
  const TempFolder folder;
  const auto source = [&](const char* name, const char* seed) {
    make_data(
        {"dates", "--lines", "50", "--seed", seed, "--out", folder.file(name)});
    return bytes_of(folder.file(std::string(name) + ".src"));
  };
  EXPECT_EQ(source("a", "7"), source("b", "7"));
  EXPECT_NE(source("a", "7"), source("b", "8"));
}

TEST(MakeDataCommand, ExplainsWrongUsage) {
  const TempFolder folder;
  const std::string out = folder.file("a");
  const auto complaint = [](const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_NE(complaint(make_data({"date", "--out", out})).find("'dates'?"),
            std::string::npos);
  EXPECT_NE(complaint(make_data({"dates"})).find("--out"), std::string::npos);
  EXPECT_NE(complaint(make_data({"copy", "--out", out, "--symbols", "99"}))
                .find("symbols 99"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(make_data({"copy", "--out", folder.file("no/a")}).code, 1);
}

}  // namespace
}  // namespace fovea
