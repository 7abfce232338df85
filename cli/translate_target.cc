#include "cli/translate_target.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

#include "fovea/base/check.h"
#include "fovea/io/file_replacement.h"
#include "fovea/io/text_file.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

// A plain file, or none yet.
bool is_plain(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return !fs::exists(status) || fs::is_regular_file(status);
}

// The number that a line of an n-best list begins with.
int64_t number_of(std::string_view line, const std::string& file) {
  int64_t number = -1;
  const auto read =
      std::from_chars(line.data(), line.data() + line.size(), number);
  check_data(read.ec == std::errc() && number >= 0 &&
                 line.substr(read.ptr - line.data()).starts_with(" ||| "),
             file, ": is no n-best list; remove it to begin anew");
  return number;
}

// What is whole in a file that was torn at any byte.
struct Whole {
  int64_t records = 0, bytes = 0;
};

Whole whole_lines(const std::string& file, int64_t size) {
  Whole whole;
  LineReader reader(file);
  while (const auto line = reader.next()) {
    const int64_t end = whole.bytes + std::ssize(*line) + 1;
    if (end > size) break;
    whole = {whole.records + 1, end};
  }
  return whole;
}

// The last list may lack some of its lines, so it is never taken for whole.
Whole whole_lists(const std::string& file, int64_t size) {
  Whole whole;
  int64_t bytes = 0;
  LineReader reader(file);
  while (const auto line = reader.next()) {
    const int64_t end = bytes + std::ssize(*line) + 1;
    if (end > size) break;
    const int64_t number = number_of(*line, file);
    if (number != whole.records) whole = {number, bytes};
    bytes = end;
  }
  return whole;
}

}  // namespace

TranslateTarget::TranslateTarget(const Config& config) : name_(config.path) {
  if (name_.empty()) {
    direct_ = FileHandle(::dup(STDOUT_FILENO), "standard output");
    return;
  }
  check(!fs::is_directory(name_), name_, ": is a folder, not a file");
  if (!is_plain(name_)) {
    direct_ = FileHandle(::open(name_.c_str(), O_WRONLY | O_CLOEXEC), name_);
    if (direct_.descriptor() < 0) fail_to_write(name_, errno);
    return;
  }
  name_ = behind_links(name_);
  part_name_ = name_ + ".part";
  check_usage(config.resume || !fs::exists(part_name_), part_name_,
              ": is left of a run that did not end; --resume goes on with it, "
              "or remove it");
  part_.emplace(part_name_);
  go_on(config.numbered_lists);
}

void TranslateTarget::go_on(bool numbered_lists) {
  const Whole whole = numbered_lists ? whole_lists(part_name_, part_->size())
                                     : whole_lines(part_name_, part_->size());
  part_->cut_to_bytes(whole.bytes);
  done_ = whole.records;
}

void TranslateTarget::write(std::string_view lines) {
  if (part_) {
    part_->append(lines);
  } else {
    direct_.write(lines);
  }
}

void TranslateTarget::finish() {
  if (!part_) return;
  part_->sync();
  rename_durably(part_name_, name_);
}

}  // namespace fovea::cli
