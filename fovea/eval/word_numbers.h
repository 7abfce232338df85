#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fovea {

// Gives alike words alike numbers, so that they are compared at once.
class WordNumbers {
 public:
  int number(std::string_view word);
  // Of the words between white space.
  std::vector<int> of_words(std::string_view text);

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // finds a view without copying it
  };
  std::unordered_map<std::string, int, Hash, std::equal_to<>> numbers_;
};

// The code points of the words, with what lies between them or without.
std::vector<int> characters_of(std::string_view text,
                               std::string_view between = "");

}  // namespace fovea
