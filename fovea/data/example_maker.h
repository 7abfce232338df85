#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/batch.h"
#include "fovea/data/tokenizer.h"

namespace fovea {

// What became of a line.
enum class Fate { kKept, kEmpty, kTooLong, kBad };

struct MadeExample {
  Fate fate = Fate::kBad;
  Example example = {};
  bool more_labels = false;  // it has others, which are not used
  bool cut = false;          // its end is left out
};

// Makes an example of one line of each file. Threads may share it.
using ExampleMaker =
    std::function<MadeExample(std::span<const std::string_view> texts)>;

// Source and target, and a line of word links if there are three texts. Of at
// most `longest` tokens each.
ExampleMaker pair_maker(Tokenizer source, Tokenizer target, int longest);

// A labelled line, cut after the `longest` token. The labels are sorted.
ExampleMaker label_maker(Tokenizer text, std::vector<std::string> labels,
                         int longest);

}  // namespace fovea
