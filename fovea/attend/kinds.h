#pragma once

#include <span>

namespace fovea {

// A mechanism that is no composition of the five parts: a class or a function
// of its own.
struct KindEntry {
  const char* name;
  const char* help;    // formula and source, short
  const char* header;  // where it is declared
};

std::span<const KindEntry> kind_registry();

}  // namespace fovea
