#pragma once

#include <vector>

#include "fovea/decode/hypothesis.h"
#include "fovea/models/seq2seq.h"

namespace fovea {

// The likeliest word at each step, one at least. Sources end with the end mark.
std::vector<Hypothesis> greedy_search(const Seq2Seq& model, const Ids& source,
                                      const LengthLimit& limit = {});

}  // namespace fovea
