#include "fovea/base/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "fovea/base/check.h"
#include "fovea/base/terminal.h"
#include "fovea/base/unicode.h"

namespace fovea {
namespace {

constexpr double kTerminalPause = 0.1;  // seconds between two lines
constexpr double kPlainPause = 10;
constexpr double kRateMemory = 5;  // seconds that the rate looks back

std::string rate_text(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, rate < 100 ? "%.1f" : "%.0f", rate);
  return text;
}

}  // namespace

ProgressOptions ProgressOptions::standard_error() {
  ProgressOptions options;
  options.terminal = stderr_is_terminal();
  options.width = terminal_width;
  options.seconds = [] {
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  options.write = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
  return options;
}

std::string duration_text(double seconds) {
  const int64_t s = std::llround(std::clamp(seconds, 0.0, 1e9));
  const int64_t hours = s / 3600, minutes = s / 60 % 60;
  char text[32];
  if (hours > 0) {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", hours, minutes, s % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld", minutes, s % 60);
  }
  return text;
}

Progress::Progress(std::string title, int64_t total, ProgressOptions options)
    : title_(std::move(title)),
      total_(total),
      options_(std::move(options)),
      start_(options_.seconds()),
      done_(options_.first),
      rate_time_(start_),
      rate_done_(options_.first),
      shown_(start_) {}

Progress::~Progress() { finish(); }

void Progress::update(int64_t done, std::string_view note) {
  done_ = done;
  note_ = note;
  const double now = options_.seconds();
  const double passed = now - rate_time_;
  if (passed >= kTerminalPause) {
    const double rate = static_cast<double>(done_ - rate_done_) / passed;
    const bool first = rate_done_ == options_.first;
    const double weight = first ? 1 : 1 - std::exp(-passed / kRateMemory);
    rate_ += weight * (rate - rate_);
    rate_time_ = now;
    rate_done_ = done_;
  }
  if (now - shown_ >= (options_.terminal ? kTerminalPause : kPlainPause)) {
    show(false);
    shown_ = now;
  }
}

void Progress::finish() {
  if (std::exchange(finished_, true) || done_ == options_.first) return;
  const double passed = options_.seconds() - start_;
  // What counts in the end is the whole.
  if (passed > 0) {
    rate_ = static_cast<double>(done_ - options_.first) / passed;
  }
  show(true);
}

void Progress::show(bool last) {
  if (options_.terminal) {
    // The last column stays free: writing it would wrap the line.
    const int columns = std::max(1, options_.width() - 1);
    options_.write(join("\r", cut_to_columns(line(), columns), "\033[K",
                        last ? "\n" : ""));
    set_open_line(!last);
  } else {
    options_.write(line() + "\n");
  }
}

std::string Progress::line() const {
  std::string text = join(title_, " ", done_);
  if (total_ > 0) text += join("/", total_, " ", 100 * done_ / total_, "%");
  if (rate_ > 0) text += join(" ", rate_text(rate_), " ", options_.unit, "/s");
  if (finished_) {
    text += join(" in ", duration_text(options_.seconds() - start_));
  } else if (total_ > 0 && rate_ > 0) {
    const double left = static_cast<double>(total_ - done_) / rate_;
    text += join(" ", duration_text(left), " left");
  }
  return note_.empty() ? text : text + " " + note_;
}

}  // namespace fovea
