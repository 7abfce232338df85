#pragma once

#include <memory>
#include <vector>

#include "fovea/attend/registry.h"

namespace fovea::testing {

// A problem for a composed attention: ragged queries over a ragged source of
// random numbers. There are empty sequences and such of one token.
struct AttendCase {
  ComposedConfig config = {};
  AttentionSizes sizes = {.query = 6, .key = 6, .value = 6};
  std::vector<int> queries = {3, 1, 0, 2, 2};  // lengths
  std::vector<int> keys = {4, 1, 3, 0, 5};
  std::vector<int> position = {};  // of the first queries; see Queries
  uint64_t seed = 1;
  float scale = 1.0f;  // of the random numbers

  Segments query_segments() const { return Segments::from_lengths(queries); }
  Segments key_segments() const { return Segments::from_lengths(keys); }
  Tensor query_rows() const;  // [M, sizes.query]
  Tensor key_rows() const;    // [N, sizes.key]
  Tensor value_rows() const;  // [N, sizes.value]
};

// An attention of the case, all of whose parameters are random: none is zero.
std::unique_ptr<Attention> random_attention(const AttendCase& c);

// The three inputs of an attention.
struct AttendRows {
  Var queries, keys, values;
};
AttendRows random_rows(const AttendCase& c);

// Remembers and attends, outside of training. Weights that are wanted come by
// the general path.
Attended attend_once(const Attention& attention, const AttendCase& c,
                     const AttendRows& rows, bool want_weights);

}  // namespace fovea::testing
