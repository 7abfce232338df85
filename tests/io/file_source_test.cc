#include "fovea/io/file_source.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"
#include "support/temp_folder.h"

namespace fovea {

// Made by tools/embed_assets from FOVEA_EMBEDDED_PATH.
std::span<const EmbeddedFile> embedded_test_files();

namespace {

using testing::bytes_of;
using testing::TempFolder;

std::string text_of(const FileBytes& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

TEST(FileSource, AFolderGivesItsFiles) {
  const TempFolder folder;
  folder.write("a", "some text");
  const FileSource files(folder.path());
  EXPECT_TRUE(files.exists());
  EXPECT_TRUE(files.contains("a"));
  EXPECT_FALSE(files.contains("b"));
  EXPECT_EQ(files.text("a"), "some text");
  EXPECT_EQ(text_of(files.bytes("a")), "some text");
  EXPECT_THROW(files.bytes("b"), Error);
  EXPECT_FALSE(FileSource(folder.file("none")).exists());
}

TEST(FileSource, MemoryGivesFilesToo) {
  const std::string text = "in memory";
  const EmbeddedFile all[] = {
      {"a", std::as_bytes(std::span(text.data(), text.size()))}};
  const FileSource files("box", all);
  EXPECT_TRUE(files.exists());
  EXPECT_EQ(files.text("a"), text);
  EXPECT_EQ(files.bytes("a").bytes.data(), all[0].bytes.data());
  EXPECT_FALSE(files.contains("b"));
  try {
    files.text("b");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_STREQ(error.what(), "box/b: there is no such file");
  }
}

TEST(FileSource, EmbeddedFilesAreThoseOfTheirFolder) {
  const FileSource files("box", embedded_test_files());
  ASSERT_FALSE(embedded_test_files().empty());
  for (const EmbeddedFile& file : embedded_test_files()) {
    const std::string name(file.name);
    EXPECT_EQ(files.text(name),
              bytes_of(std::string(FOVEA_EMBEDDED_PATH) + "/" + name));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(file.bytes.data()) % 64, 0u);
  }
}

}  // namespace
}  // namespace fovea
