#pragma once

#include <string>
#include <vector>

#include "fovea/serve/http.h"

namespace fovea {

// The files of the page, by their exact names: nothing is looked up on a disk.
class StaticFiles {
 public:
  struct File {
    std::string path, type, tag;
    std::string_view bytes;
  };

  StaticFiles();

  const File* find(const std::string& path) const;  // null: none
  HttpResponse answer(const File& file, const HttpRequest& request) const;

 private:
  std::vector<File> files_;
};

}  // namespace fovea
