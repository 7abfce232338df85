#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

struct LanguageGuess {
  std::string code;       // "en"
  double confidence = 0;  // percent; 0: nothing speaks for it
};

// Which of these languages a text may be in, the likeliest first. By the script
// of its letters and by frequent short words, which are known for a dozen
// languages: sure of a sentence, unsure of a word. Threads may call it.
std::vector<LanguageGuess> detect_language(
    std::string_view text, std::span<const std::string> languages);

// "English" for "en"; the code itself if it is not known.
std::string language_name(const std::string& code);

}  // namespace fovea
