#pragma once

#include <vector>

#include "fovea/tensor/segments.h"

namespace fovea {

// Texts that are tested together; each ends with its end mark.
struct TestTexts {
  Ids source = {};
  Ids target = {};  // what a sequence model is forced to say, or no sequence

  bool is_sequence() const { return target.of.count() > 0; }
  int count() const { return source.of.count(); }
  // A case is one distribution that the model gives: of a text's label, or of
  // one target word. The cases of each text.
  Segments cases() const;
};

// A text of some, perhaps without one of its tokens; -1: whole.
struct TextCopy {
  int text = 0;
  int left_out = -1;
};
TestTexts copies_of(const TestTexts& texts, const std::vector<TextCopy>& which);

}  // namespace fovea
