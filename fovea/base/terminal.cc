#include "fovea/base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace fovea {
namespace {

constexpr int kUsualWidth = 80;

std::atomic<bool> line_is_open{false};

}  // namespace

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

int terminal_width() {
  winsize size{};
  const bool known =
      ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualWidth;
}

void set_open_line(bool open) { line_is_open = open; }

void clear_open_line() {
  if (line_is_open.exchange(false)) std::fputs("\r\033[K", stderr);
}

}  // namespace fovea
