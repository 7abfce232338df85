#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace fovea {

// An open file of the system; closed with its owner. Calls that a signal
// interrupts are repeated, and every failure names the file and the reason.
class FileHandle {
 public:
  FileHandle() = default;
  // `name` is for messages.
  FileHandle(int descriptor, std::string name)
      : descriptor_(descriptor), name_(std::move(name)) {}
  FileHandle(FileHandle&& other) noexcept { swap(other); }
  FileHandle& operator=(FileHandle&& other) noexcept {
    swap(other);
    return *this;
  }
  ~FileHandle();

  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }

  // How many bytes were read; 0 at the end of the file.
  size_t read(std::span<char> to) const;
  void write(std::string_view bytes) const;
  // Returns when the disk has what was written. What cannot be synced (a pipe,
  // a terminal) needs no sync.
  void sync() const;

 private:
  void swap(FileHandle& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(name_, other.name_);
  }

  int descriptor_ = -1;
  std::string name_;
};

// A data error says why a file cannot be read: not there, a folder, or what the
// system says.
FileHandle open_to_read(const std::string& path);

// Throws for the errno of a call that wrote: a full disk is a resource error.
[[noreturn]] void fail_to_write(const std::string& path, int error);

}  // namespace fovea
