#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// q.k (SPEC A2), and q.k times a factor, by default 1/sqrt(head size) (A3).
std::unique_ptr<Score> make_dot_score(const PartContext& context);
std::unique_ptr<Score> make_scaled_dot_score(const PartContext& context);

// The size of a head of queries and keys; throws if they differ.
int shared_head_size(const PartContext& context);

}  // namespace fovea
