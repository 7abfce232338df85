#pragma once

#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace fovea {

// Runs a program with its arguments; what it throws becomes a line and a 1.
inline int run_program(int argc, char** argv,
                       void (*run)(const std::vector<std::string>&)) {
  try {
    run({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}

}  // namespace fovea
