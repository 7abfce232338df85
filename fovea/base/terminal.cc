#include "fovea/base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace fovea {
namespace {

constexpr int kUsualWidth = 80;

std::atomic<bool> line_is_open{false};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

bool stdin_is_terminal() { return isatty(STDIN_FILENO) == 1; }

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

int terminal_width() {
  for (const int stream : {STDERR_FILENO, STDOUT_FILENO}) {
    winsize size{};
    if (ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
      return size.ws_col;
    }
  }
  return kUsualWidth;
}

ColorHints ColorHints::standard_output() {
  return {stdout_is_terminal(), variable("NO_COLOR"), variable("COLORTERM"),
          variable("TERM")};
}

ColorMode color_mode(const ColorHints& hints) {
  if (!hints.terminal || !hints.no_color.empty() || hints.term.empty() ||
      hints.term == "dumb") {
    return ColorMode::kPlain;
  }
  const bool many =
      hints.colorterm == "truecolor" || hints.colorterm == "24bit";
  return many ? ColorMode::kTruecolor : ColorMode::k256;
}

void set_open_line(bool open) { line_is_open = open; }

void clear_open_line() {
  if (line_is_open.exchange(false)) std::fputs("\r\033[K", stderr);
}

}  // namespace fovea
