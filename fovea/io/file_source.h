#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fovea {

// The bytes of a file and what keeps them where they are. Copies share.
struct FileBytes {
  std::shared_ptr<const void> owner = {};  // none: they stay for ever
  std::span<const std::byte> bytes = {};
};

// See MappedFile.
FileBytes map_file(const std::string& path);

// A file inside the program.
struct EmbeddedFile {
  std::string_view name;
  std::span<const std::byte> bytes;
};

// Where files that belong together come from: a folder, or memory. Immutable,
// so threads may share one.
class FileSource {
 public:
  FileSource(std::string folder)  // NOLINT: converts
      : name_(std::move(folder)), is_folder_(true) {}
  FileSource(const char* folder)  // NOLINT: converts
      : FileSource(std::string(folder)) {}
  // `name` stands for a folder's in messages; the files must live as long.
  FileSource(std::string name, std::span<const EmbeddedFile> files)
      : name_(std::move(name)), files_(files) {}

  const std::string& name() const { return name_; }
  // A file as messages name it.
  std::string place(const std::string& file) const;
  bool exists() const;  // or there is no such folder
  bool contains(const std::string& file) const;
  // A data error if it is not there or cannot be read.
  FileBytes bytes(const std::string& file) const;
  std::string text(const std::string& file) const;

 private:
  const EmbeddedFile* find(const std::string& file) const;

  std::string name_;
  bool is_folder_ = false;
  std::span<const EmbeddedFile> files_;
};

}  // namespace fovea
