#include "support/temp_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace fovea::testing {

TempFolder::TempFolder()
    : path_(
          (std::filesystem::temp_directory_path() / "fovea-XXXXXX").string()) {
  EXPECT_NE(::mkdtemp(path_.data()), nullptr);
}

TempFolder::~TempFolder() { std::filesystem::remove_all(path_); }

std::string TempFolder::write(const std::string& name,
                              std::string_view bytes) const {
  std::ofstream(file(name), std::ios::binary) << bytes;
  return file(name);
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace fovea::testing
