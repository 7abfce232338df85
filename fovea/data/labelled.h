#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// A line to learn a class from: "label<TAB>text", or "__label__a text" as
// fastText has it. Views into the line.
struct LabelledLine {
  std::string_view label = {};  // the first, if there are several
  std::string_view text = {};
  int labels = 1;
};

// Nothing if there is no label.
std::optional<LabelledLine> read_labelled(std::string_view line);

// Every label of these files once, sorted.
std::vector<std::string> labels_in(const std::vector<std::string>& paths);

}  // namespace fovea
