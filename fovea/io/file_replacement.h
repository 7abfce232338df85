#pragma once

#include <string>
#include <string_view>

#include "fovea/io/file_handle.h"

namespace fovea {

// The file behind links; `path` itself if there is none.
std::string behind_links(const std::string& path);

// Gives a file, which is on the disk, the name of another, whose place it
// takes; returns when that is on the disk, too.
void rename_durably(const std::string& from, const std::string& to);

// Writes a file beside the one it will replace, as NAME.part, and takes its
// place only when whole and on the disk: whoever looks, even after a crash,
// finds the old file or the new one. Without a commit nothing has happened.
// What is no plain file (a pipe, /dev/stdout) is written directly, and a link
// stays a link to the file that is replaced. One process at a time.
class FileReplacement {
 public:
  explicit FileReplacement(const std::string& path);
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  void write(std::string_view bytes);  // small pieces are gathered
  void commit();

 private:
  void flush();

  std::string real_;  // behind links
  std::string part_;  // empty: written directly, or done
  FileHandle file_;
  std::string buffer_;
};

}  // namespace fovea
