#include "fovea/models/new_folder.h"

#include <filesystem>
#include <system_error>

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"

namespace fovea {

void make_model_folder(const std::string& path) {
  std::error_code error;
  check_usage(!std::filesystem::exists(config_file(path), error), path,
              ": holds a model already; give another folder, or remove it");
  std::filesystem::create_directories(path, error);
  check(!error, path, ": cannot make this folder: ", error.message());
}

void copy_text_files(const FileSource& from, const std::string& to) {
  for (const char* name : kTextFiles) {
    if (from.contains(name)) replace_file(to + "/" + name, from.text(name));
  }
  if (!from.contains(kShortlistFile)) return;
  replace_file(to + "/" + kShortlistFile, from.text(kShortlistFile));
}

}  // namespace fovea
