#include "fovea/io/append_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

#include "fovea/base/check.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using testing::bytes_of;
using testing::TempFolder;

TEST(AppendFile, ContinuesAFile) {
  const TempFolder folder;
  const std::string path = folder.file("history.jsonl");
  {
    AppendFile file(path);
    EXPECT_EQ(file.size(), 0);
    file.append_line("{\"step\":1}");
    EXPECT_EQ(bytes_of(path), "{\"step\":1}\n") << "at once";
  }
  AppendFile file(path);
  EXPECT_EQ(file.size(), 11);
  file.append("two");
  EXPECT_EQ(bytes_of(path), "{\"step\":1}\ntwo");
  EXPECT_EQ(file.size(), 14);
  file.sync();
}

TEST(AppendFile, CutsBackToBytesAndGoesOnThere) {
  const TempFolder folder;
  AppendFile file(folder.write("a", "one\ntwo\n"));
  EXPECT_FALSE(file.cut_to_bytes(9));
  EXPECT_TRUE(file.cut_to_bytes(4));
  EXPECT_EQ(file.size(), 4);
  file.append_line("2");
  EXPECT_EQ(bytes_of(folder.file("a")), "one\n2\n");
}

TEST(AppendFile, CutsBackToWholeLines) {
  const TempFolder folder;
  const std::string path = folder.write("a", "one\n\nthree\ntor");
  AppendFile file(path);
  EXPECT_FALSE(file.cut_to_lines(4));
  EXPECT_EQ(bytes_of(path), "one\n\nthree\n");
  EXPECT_TRUE(file.cut_to_lines(3));
  EXPECT_TRUE(file.cut_to_lines(2));
  EXPECT_EQ(bytes_of(path), "one\n\n");
  EXPECT_TRUE(file.cut_to_lines(0));
  EXPECT_EQ(file.size(), 0);
}

TEST(AppendFile, SaysWhyItCannotWrite) {
  const TempFolder folder;
  EXPECT_THROW(AppendFile(folder.path()), Error);
  EXPECT_THROW(AppendFile(folder.file("no/a")), Error);
  AppendFile full("/dev/full");
  EXPECT_THROW(full.append("x"), Error);
}

TEST(AppendFile, IsLockedByOneAtATime) {
  const TempFolder folder;
  const std::string path = folder.file("a");
  std::optional<AppendFile> first(std::in_place, path);
  EXPECT_TRUE(first->lock());
  const AppendFile second(path);
  EXPECT_FALSE(second.lock());
  first.reset();
  EXPECT_TRUE(second.lock());
  std::rename(path.c_str(), (path + "2").c_str());
  EXPECT_FALSE(second.lock()) << "it has another name now";
}

}  // namespace
}  // namespace fovea
