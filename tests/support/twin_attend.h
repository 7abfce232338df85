#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/attend_case.h"
#include "support/gradients.h"

namespace fovea::testing {

using NamedDoubles = std::map<std::string, Doubles>;

// A query row as the functions of a twin see it.
struct TwinQuery {
  const NamedDoubles& params;   // of the attention: "score.v"
  std::span<const double> raw;  // the row before any projection
  std::span<const double> row;  // and after it, all heads
  int position = 0;             // as an index of keys
  int keys = 0;                 // of its memory sequence

  const Doubles& param(const std::string& name) const;
};

struct TwinPair {
  const TwinQuery& query;
  std::span<const double> key_row;  // after the projection, all heads
  int key = 0;                      // its index in the sequence
  int head = 0, heads = 1, key_heads = 1;

  int key_head() const { return head / (heads / key_heads); }
  std::span<const double> q() const;  // of this head
  std::span<const double> k() const;
};

double twin_dot(std::span<const double> a, std::span<const double> b);
// weight [out, in] times x.
Doubles twin_linear(const Doubles& weight, std::span<const double> x);
// SPEC Z3.
Doubles twin_softmax_row(const Doubles& scores);

// A composed attention in double precision, one pair at a time. Projections,
// heads, causality, exclude-self and temperature come from the config; the
// parts are functions.
struct TwinAttend {
  using Window = std::pair<int, int>;  // first key, and one behind the last

  AttendCase problem;
  std::function<double(const TwinPair&)> score;
  std::function<Doubles(const Doubles&)> normalise = twin_softmax_row;
  // Left out: every key.
  std::function<Window(const TwinQuery&)> window = {};
  // Changes a row's weights after the normaliser; `first` is the index of the
  // first key.
  std::function<void(const TwinQuery&, int first, Doubles& weights)> adjust =
      {};

  struct Result {
    Doubles weights;  // in the order of Pairs
    Doubles context;
  };
  // Rows of queries, keys and values, and the parameters by name.
  Result run(const Doubles& queries, const Doubles& keys, const Doubles& values,
             const NamedDoubles& params) const;
};

// Compares an attention of random parameters with its twin, by both of its
// paths: weights, context, and the gradients of all inputs and parameters.
void check_attend(const TwinAttend& twin);

}  // namespace fovea::testing
