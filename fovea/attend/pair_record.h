#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fovea/attend/attention.h"
#include "fovea/attend/trace.h"

namespace fovea {

// Which query sequences and keys the pairs of a record belong to.
struct RecordPlaces {
  Segments queries;
  std::vector<int> keys;  // of each sequence
  // As in Memory: the index of each key row, where some keys only were kept;
  // empty: a row's keys stand from Pairs::Row::first on.
  std::span<const int> kept = {};
};

// The weights of some heads, spread over blocks with room for every key.
Record pair_record(Record::About about, std::vector<int> heads,
                   const Weights& weights, const RecordPlaces& places,
                   std::optional<Record::Vectors> vectors = {});

}  // namespace fovea
