#pragma once

#include <string>
#include <vector>

namespace fovea::testing {

// A folder for the files of one test; goes with its owner.
class TextFolder {
 public:
  TextFolder();
  ~TextFolder();
  TextFolder(const TextFolder&) = delete;
  TextFolder& operator=(const TextFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  // Writes a file and gives its path.
  std::string write(const std::string& name, const std::string& text) const;
  std::string write_lines(const std::string& name,
                          const std::vector<std::string>& lines) const;
  std::string read(const std::string& name) const;

 private:
  std::string path_;
};

}  // namespace fovea::testing
