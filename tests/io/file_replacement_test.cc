#include "fovea/io/file_replacement.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temp_folder.h"

namespace fovea {
namespace {

using testing::bytes_of;
using testing::TempFolder;

TEST(FileReplacement, JoinsPiecesOfAnySize) {
  const TempFolder folder;
  FileReplacement file(folder.file("a"));
  std::string all;
  for (size_t size :
       {3u, 65536u, 0u, 1u, 65535u, 200000u, 5u, 40000u, 40000u}) {
    const std::string piece(size, static_cast<char>('a' + all.size() % 26));
    file.write(piece);
    all += piece;
  }
  file.commit();
  EXPECT_EQ(bytes_of(folder.file("a")), all);
}

TEST(FileReplacement, ChangesNothingWithoutACommit) {
  const TempFolder folder;
  folder.write("a", "old");
  {
    FileReplacement file(folder.file("a"));
    file.write(std::string(100000, 'x'));
    EXPECT_EQ(bytes_of(folder.file("a")), "old");
  }
  EXPECT_EQ(bytes_of(folder.file("a")), "old");
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.part")));
}

}  // namespace
}  // namespace fovea
