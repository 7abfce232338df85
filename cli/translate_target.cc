#include "cli/translate_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <deque>
#include <filesystem>
#include <fstream>

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

constexpr size_t kCompared = 16;  // records at most

// What is whole in a file that was torn at any byte.
struct Whole {
  int64_t records = 0, bytes = 0;
  std::deque<int64_t> begins = {};  // of the last records

  void add(int64_t begin, int64_t end) {
    ++records;
    bytes = end;
    begins.push_back(begin);
    if (begins.size() > kCompared) begins.pop_front();
  }
};

Whole whole_lines(const std::string& file, int64_t size) {
  Whole whole;
  LineReader reader(file);
  while (const auto line = reader.next()) {
    const int64_t end = whole.bytes + std::ssize(*line) + 1;
    if (end > size) break;
    whole.add(whole.bytes, end);
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
    const bool next = number == whole.records + 1 && bytes > 0;
    check_data(next || number == whole.records, file,
               ": is no n-best list in order; remove it to begin anew");
    if (next) whole.add(whole.bytes, bytes);
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
  part_.emplace(part_name_);
  check(part_->lock(), part_name_,
        ": another process is writing it; wait for its end, or give another "
        "name");
  check_usage(config.resume || part_->size() == 0, part_name_,
              ": is left of a run that did not end; --resume goes on with it, "
              "or remove it");
  keep_permissions();
  go_on(config.numbered_lists);
}

TranslateTarget::~TranslateTarget() {
  if (part_ && part_->size() == 0) ::unlink(part_name_.c_str());
}

void TranslateTarget::keep_permissions() const {
  struct stat about {};
  if (::stat(name_.c_str(), &about) != 0) return;
  ::chmod(part_name_.c_str(), about.st_mode & 07777);
}

void TranslateTarget::go_on(bool numbered_lists) {
  const Whole whole = numbered_lists ? whole_lists(part_name_, part_->size())
                                     : whole_lines(part_name_, part_->size());
  part_->cut_to_bytes(whole.bytes);
  done_ = whole.records;
  if (whole.begins.empty()) return;
  const int64_t begin = whole.begins.front();
  last_.records = std::ssize(whole.begins);
  last_.bytes.resize(static_cast<size_t>(whole.bytes - begin));
  std::ifstream file(part_name_, std::ios::binary);
  file.seekg(begin);
  file.read(last_.bytes.data(), std::ssize(last_.bytes));
  check_data(file.good(), part_name_, ": cannot be read");
}

void TranslateTarget::write(std::string_view lines) {
  if (!part_) return direct_.write(lines);
  try {
    part_->append(lines);
  } catch (const Error&) {
    // None of them is there now; some may fit.
    while (!lines.empty()) {
      const size_t size = lines.find('\n') + 1;
      part_->append(lines.substr(0, size));
      lines.remove_prefix(size);
    }
  }
}

void TranslateTarget::finish() {
  if (!part_) return;
  part_->sync();
  rename_durably(part_name_, name_);
  part_.reset();
}

}  // namespace fovea::cli
