#include "fovea/io/file_source.h"

#include <algorithm>
#include <filesystem>

#include "fovea/base/check.h"
#include "fovea/io/mapped_file.h"
#include "fovea/io/text_file.h"

namespace fovea {

FileBytes map_file(const std::string& path) {
  auto file = std::make_shared<const MappedFile>(path);
  const std::span<const std::byte> bytes = file->bytes();
  return {std::move(file), bytes};
}

std::string FileSource::place(const std::string& file) const {
  return name_ + "/" + file;
}

const EmbeddedFile* FileSource::find(const std::string& file) const {
  const auto found = std::ranges::find(files_, file, &EmbeddedFile::name);
  return found == files_.end() ? nullptr : &*found;
}

bool FileSource::exists() const {
  return !is_folder_ || std::filesystem::is_directory(name_);
}

bool FileSource::contains(const std::string& file) const {
  return is_folder_ ? std::filesystem::exists(place(file))
                    : find(file) != nullptr;
}

FileBytes FileSource::bytes(const std::string& file) const {
  if (is_folder_) return map_file(place(file));
  const EmbeddedFile* found = find(file);
  check_data(found != nullptr, place(file), ": there is no such file");
  return {.bytes = found->bytes};
}

std::string FileSource::text(const std::string& file) const {
  if (is_folder_) return read_text(place(file));
  const FileBytes found = bytes(file);
  return {reinterpret_cast<const char*>(found.bytes.data()),
          found.bytes.size()};
}

}  // namespace fovea
