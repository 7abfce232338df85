#include "fovea/io/yaml.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fovea/base/check.h"

namespace fovea {
namespace {

struct Model {
  int width = 8;
  std::string kind = "gru";
  void fields(auto&& field) {
    field("width", width, "units of a layer");
    field("kind", kind, "which cell");
  }
};

struct Sample {
  float lr = 3e-4f;
  bool tied = false;
  std::string name = "toy";
  std::vector<int> sizes = {1, 2};
  Model model;
  std::vector<std::string> files;
  void fields(auto&& field) {
    field("lr", lr, "peak learning rate");
    field("tied", tied, "share the embeddings");
    field("name", name, "name of the run");
    field("sizes", sizes, "sizes to try");
    field("model", model, "");
    field("files", files, "files to read");
  }
};

// The message of the data error that reading the text gives.
std::string complaint(const std::string& text, Sample sample = {}) {
  try {
    read_yaml(text, "run.yaml", fields_of(sample));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    return error.what();
  }
  return "no complaint";
}

TEST(Yaml, SetsWhatIsNamedAndLeavesTheRest) {
  Sample sample;
  read_yaml("lr: 1e-2\nsizes: [3, 4, 5]\nmodel:\n  width: 64\n", "run.yaml",
            fields_of(sample));
  EXPECT_EQ(sample.lr, 0.01f);
  EXPECT_EQ(sample.sizes, (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(sample.model.width, 64);
  EXPECT_EQ(sample.name, "toy");
  EXPECT_EQ(sample.model.kind, "gru");
}

struct Hyphens {
  int batch_size = 1;
  void fields(auto&& field) { field("batch-size", batch_size, "sentences"); }
};

TEST(Yaml, TakesUnderscoresForHyphens) {
  Hyphens config;
  read_yaml("batch_size: 3\n", "run.yaml", fields_of(config));
  EXPECT_EQ(config.batch_size, 3);
  read_yaml("batch-size: 4\n", "run.yaml", fields_of(config));
  EXPECT_EQ(config.batch_size, 4);
}

TEST(Yaml, AnEmptyFileChangesNothing) {
  Sample sample, fresh;
  read_yaml("", "run.yaml", fields_of(sample));
  read_yaml("# nothing here\n", "run.yaml", fields_of(sample));
  EXPECT_TRUE(changed_fields(fields_of(fresh), fields_of(sample)).empty());
}

TEST(Yaml, NamesAnUnknownKeyAndTheNearestKnownOne) {
  EXPECT_EQ(complaint("tied: true\nlrr: 1\n"),
            "run.yaml:2: unknown key 'lrr' (did you mean 'lr'?)");
  EXPECT_EQ(complaint("model:\n  widht: 4\n"),
            "run.yaml:2: unknown key 'model.widht' (did you mean "
            "'model.width'?)");
}

TEST(Yaml, NamesKeyValueAndExpectedType) {
  EXPECT_EQ(complaint("lr: fast\n"), "run.yaml:1: lr: 'fast' is not a number");
  EXPECT_EQ(complaint("tied: maybe\n"),
            "run.yaml:1: tied: 'maybe' is not true or false");
  EXPECT_EQ(complaint("sizes: [1, x]\n"),
            "run.yaml:1: sizes: '1, x' is not a list of whole numbers");
  EXPECT_EQ(complaint("lr: [1, 2]\n"), "run.yaml:1: lr: expected a number");
  EXPECT_EQ(complaint("lr:\n"),
            "run.yaml:1: lr: expected a number but found nothing");
  EXPECT_EQ(complaint("model: 3\n"),
            "run.yaml:1: expected lines of the form 'key: value' under "
            "'model'");
}

TEST(Yaml, NamesTheLineThatIsNotUtf8) {
  EXPECT_EQ(complaint("tied: true\nname: \xe0\xe0\n"),
            "run.yaml:2: is not UTF-8");
}

TEST(Yaml, RefusesWhatIsNotAConfig) {
  EXPECT_EQ(complaint("- 1\n- 2\n"),
            "run.yaml:1: expected lines of the form 'key: value'");
  EXPECT_EQ(complaint("lr: 1\nlr: 2\n"),
            "run.yaml:2: the key 'lr' is given twice");
  EXPECT_TRUE(complaint("lr: [1\n").starts_with("run.yaml:")) << "broken";
}

TEST(Yaml, ABadFileChangesNothing) {
  Sample sample, fresh;
  EXPECT_THROW(read_yaml("lr: 1\ntied: maybe\n", "run.yaml", fields_of(sample)),
               Error);
  EXPECT_TRUE(changed_fields(fields_of(fresh), fields_of(sample)).empty());
}

TEST(Yaml, WritesHelpAsComments) {
  Sample sample;
  const std::string text = write_yaml(fields_of(sample));
  EXPECT_NE(text.find("lr: 0.0003  # peak learning rate"), std::string::npos)
      << text;
  EXPECT_NE(text.find("model:\n  width: 8"), std::string::npos) << text;
}

TEST(Yaml, GivesBackWhatItWrote) {
  for (const char* awkward : {"", "true", "12", "~", "a: b # c", "\"q\" 'r'",
                              "- x", "zwei\nZeilen", "größe", "  pad  "}) {
    Sample sample, copy;
    sample.name = awkward;
    sample.files = {awkward, "plain"};
    sample.lr = 1.1f;
    sample.model.kind = awkward;
    sample.sizes.clear();
    read_yaml(write_yaml(fields_of(sample)), "copy", fields_of(copy));
    EXPECT_TRUE(changed_fields(fields_of(sample), fields_of(copy)).empty())
        << write_yaml(fields_of(sample));
  }
}

TEST(Yaml, SavesAndLoadsFiles) {
  const auto path = std::filesystem::temp_directory_path() /
                    join("fovea-yaml-", ::getpid(), ".yaml");
  Sample sample, copy;
  sample.lr = 0.25f;
  save_yaml(path.string(), fields_of(sample));
  load_yaml(path.string(), fields_of(copy));
  EXPECT_EQ(copy.lr, 0.25f);
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".part"));
  std::filesystem::remove(path);
  EXPECT_THROW(load_yaml(path.string(), fields_of(copy)), Error);
  EXPECT_THROW(load_yaml("/", fields_of(copy)), Error);
  EXPECT_THROW(save_yaml("/no/such/folder/x.yaml", fields_of(copy)), Error);
}

}  // namespace
}  // namespace fovea
