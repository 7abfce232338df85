#pragma once

#include <string>

namespace fovea {

// What is known of the terminal behind the standard streams.
bool stdin_is_terminal();
bool stderr_is_terminal();
bool stdout_is_terminal();
int terminal_width();  // in columns; 80 when it is not known

// Plain means no escape codes at all.
enum class ColorMode { kPlain, k256, kTruecolor };

// What decides about colours on standard output; a variable that is not set is
// empty.
struct ColorHints {
  bool terminal = false;
  std::string no_color = {}, colorterm = {}, term = {};  // of the environment

  static ColorHints standard_output();
};

// Plain without a terminal, with NO_COLOR or on a dumb terminal; truecolor if
// COLORTERM says so; else 256 colours.
ColorMode color_mode(const ColorHints& hints = ColorHints::standard_output());

// A progress line stays open: the next message must not be glued to its end.
// set_open_line(true) says that one is shown; clear_open_line() wipes it.
void set_open_line(bool open);
void clear_open_line();

}  // namespace fovea
