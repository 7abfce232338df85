#pragma once

namespace fovea {

// What is known of the terminal behind standard error.
bool stderr_is_terminal();
int terminal_width();  // in columns; 80 when it is not known

// A progress line stays open: the next message must not be glued to its end.
// set_open_line(true) says that one is shown; clear_open_line() wipes it.
void set_open_line(bool open);
void clear_open_line();

}  // namespace fovea
