#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fovea/data/pharaoh.h"

// Links as the shared task of NAACL 2003 has them (Mihalcea & Pedersen 2003),
// one a line: "12 3 4 S" are the numbers of sentence, source word and target
// word, all from 1, and S for a sure or P for a possible link.
namespace fovea {

struct NaaclLink {
  int64_t sentence = 0;  // this and the words from 0
  int source = 0, target = 0;
  bool sure = true;

  friend bool operator==(const NaaclLink&, const NaaclLink&) = default;
};

// Nothing if the line is no such link. Without a mark it is sure; a confidence,
// the last word, is read over.
std::optional<NaaclLink> read_naacl(std::string_view line);

// The lines of a sentence, counted from 0; all links are sure.
std::string write_naacl(int64_t sentence, const WordLinks& links);

}  // namespace fovea
