#pragma once

#include <memory>
#include <string>
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
  bool training = false;
  RandomKey key{};  // of the pass

  Segments query_segments() const { return Segments::from_lengths(queries); }
  Segments key_segments() const { return Segments::from_lengths(keys); }
  Tensor query_rows() const;  // [M, sizes.query]
  Tensor key_rows() const;    // [N, sizes.key]
  Tensor value_rows() const;  // [N, sizes.value]
};

// This score and nothing besides: no projection.
ComposedConfig bare_config(const std::string& score,
                           std::vector<std::string> options = {});

// As it starts, from the key 1.
std::unique_ptr<Attention> new_attention(const ComposedConfig& config,
                                         const AttentionSizes& sizes);
// An attention of the case, all of whose parameters are random: none is zero.
std::unique_ptr<Attention> random_attention(const AttendCase& c);

// The parameter of this name, to be read or replaced.
Var& param(Attention& attention, const std::string& name);

// The three inputs of an attention.
struct AttendRows {
  Var queries, keys, values;
};
AttendRows random_rows(const AttendCase& c);

// Remembers and attends. Weights that are wanted come by
// the general path.
Attended attend_once(const Attention& attention, const AttendCase& c,
                     const AttendRows& rows, bool want_weights);
// The same of one sequence and a new attention.
Attended attend_one(const ComposedConfig& config, const AttendRows& rows,
                    bool want_weights = true);

}  // namespace fovea::testing
