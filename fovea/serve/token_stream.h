#pragma once

#include <string>

#include "fovea/serve/call.h"

namespace fovea {

// A translation told word by word, as server-sent events: "start" with the
// source's tokens; then "token" for each that is certain, with its attention
// and what else it could have been, or, where beams are wider, "hypothesis"
// with the best text so far. One thread at a time.
class TokenStream {
 public:
  TokenStream(CallRef call, ModelRef model);

  void start(const TokenText& text);
  void step(size_t part, const SearchStep& step);

 private:
  Json token(const SearchStep& step, const std::string& text);

  const CallRef call_;
  const ModelRef model_;
  std::vector<size_t> begins_;     // of each part's tokens, and the end of all
  std::vector<std::string> gaps_;  // before each part
  std::string before_;             // translations of the parts before
  size_t part_ = 0;
  std::string last_;  // of this part, so far
  int tokens_ = 0;    // told
};

}  // namespace fovea
