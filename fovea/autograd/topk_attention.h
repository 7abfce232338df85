#pragma once

#include <vector>

#include "fovea/autograd/attention.h"

namespace fovea {

// As attention(), but the softmax of each query and head is over its `top`
// largest scores, of equal ones the first; backward touches their keys only. No
// dropout, no score of one's own, no weights.
Var topk_attention(const Var& q, const Var& k, const Var& v,
                   std::vector<AttentionSpan> spans,
                   const AttentionConfig& config, int top);

}  // namespace fovea
