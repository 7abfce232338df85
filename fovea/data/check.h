#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/data/check_report.h"

namespace fovea {

// What to look at, and what is too much.
struct CheckConfig {
  std::vector<std::string> src = {}, tgt = {};
  std::vector<std::string> train = {};
  std::vector<std::string> valid_src = {}, valid_tgt = {}, valid = {};
  std::vector<std::string> test_src = {}, test_tgt = {}, test = {};
  std::vector<std::string> alignments = {};
  int max_length = 256;
  float max_ratio = 9;
  bool skip_duplicates = false, skip_leaks = false;
  int64_t show = 10;  // defects of each code to keep; the others are counted

  void fields(auto&& field) {
    field("src", src, "source sentences to learn from, one a line");
    field("tgt", tgt, "target sentences to learn from, one a line");
    field("train", train, "labelled lines to learn from, instead of pairs");
    field("valid-src", valid_src, "source sentences for validation");
    field("valid-tgt", valid_tgt, "target sentences for validation");
    field("valid", valid, "labelled lines for validation");
    field("test-src", test_src, "source sentences of a test");
    field("test-tgt", test_tgt, "target sentences of a test");
    field("test", test, "labelled lines of a test");
    field("guided-alignment", alignments,
          "word links of the pairs to learn from, as 0-0 1-2");
    field("max-length", max_length,
          "words of a line at most, and 8 times as many bytes");
    field("max-ratio", max_ratio,
          "how many times longer, in bytes, one side of a pair may be");
    field("skip-duplicates", skip_duplicates, "skip lines seen before");
    field("skip-leaks", skip_leaks,
          "skip lines whose text is in the validation or test text");
    field("show", show, "defects of each kind to show");
  }
};

// Reads everything once. What would break training is in the report, too; only
// a file that cannot be read is a data error. Takes about 12 bytes of memory a
// line.
CheckReport check_corpus(const CheckConfig& config);

}  // namespace fovea
