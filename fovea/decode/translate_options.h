#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fovea/decode/replace_unknown.h"
#include "fovea/decode/search_all.h"
#include "fovea/decode/translation.h"

namespace fovea {

// Text is UTF-8. Bytes that are none count as U+FFFD, in offsets, too. White
// space around a text does not count, nor how much of it is between words.
struct TranslateRequest {
  std::string text;
  std::string prefix = {};  // how the translation begins
  uint64_t number = 0;      // whose random numbers are drawn
};

struct ScoreRequest {
  std::string source, target;
};

// Tokens of a text that is translated whole, whatever the model.
constexpr int kMostInput = 256;

struct TranslateOptions {
  SearchAllConfig all = {};  // the unknown word and the begin mark are banned
  // Tokens of a text that is translated whole. 0: as many as the model has
  // learnt from, kMostInput at most.
  int max_input = 0;
  // Unknown words may come and are replaced if this is set, if only by an empty
  // dictionary. Must outlive the call.
  const Dictionary* unknown_words = nullptr;
  bool shortlist = false;  // translations have words of the shortlist only
};

// Told the share that is done, from 0 to 1, by one thread at a time. What it
// throws ends the work and is thrown to the caller.
using ShareDone = std::function<void(double)>;

// Likewise; `text` is told of a text that is translated, in nearly the order of
// the requests.
struct TranslateWatch {
  ShareDone share = {};
  std::function<void(size_t, const std::vector<Translation>&)> text = {};
};

}  // namespace fovea
