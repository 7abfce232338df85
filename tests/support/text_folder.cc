#include "support/text_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fovea::testing {

TextFolder::TextFolder() : path_(::testing::TempDir() + "fovea-text-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error("no folder for the test: " + path_);
  }
}

TextFolder::~TextFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TextFolder::write(const std::string& name,
                              const std::string& text) const {
  std::ofstream out(path(name), std::ios::binary);
  out << text;
  return path(name);
}

std::string TextFolder::write_lines(
    const std::string& name, const std::vector<std::string>& lines) const {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return write(name, text);
}

std::string TextFolder::read(const std::string& name) const {
  std::ifstream in(path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace fovea::testing
