#pragma once

#include <string>
#include <vector>

namespace fovea::testing {

struct Outcome {
  int code = 0;  // 128 + signal if a signal ended it
  std::string out, err;
};

// Runs a program through the shell. `before` is shell text in front of it, such
// as "VARIABLE=value"; arguments must not contain single quotes.
Outcome run_command(const std::string& program,
                    const std::vector<std::string>& arguments,
                    const std::string& before = "");

// Starts a program, sends it a signal after a while, and gives its exit code,
// or 128 + signal.
int run_and_signal(const std::string& program,
                   const std::vector<std::string>& arguments, int milliseconds,
                   int signal);

}  // namespace fovea::testing
