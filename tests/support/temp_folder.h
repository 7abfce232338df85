#pragma once

#include <string>
#include <string_view>

namespace fovea::testing {

// A folder of its own, which goes with all that is in it.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // Writes a file and gives its path.
  std::string write(const std::string& name, std::string_view bytes) const;

 private:
  std::string path_;
};

// What a file holds; nothing if it is not there.
std::string bytes_of(const std::string& path);

}  // namespace fovea::testing
