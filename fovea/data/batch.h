#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fovea/tensor/segments.h"

namespace fovea {

// Pairs of a source and a target token that belong together, as positions in
// their sequences.
using TokenLinks = std::vector<std::pair<int, int>>;

// One sequence to learn from. The ids have no begin or end marks.
struct Example {
  std::vector<int> source = {};
  std::vector<int> target = {};  // empty where there is a label
  int label = -1;
  TokenLinks links = {};
  int64_t line = 0;  // from 0; lines of several files are counted through
};

// Sequences that are computed together, by falling length of the target, then
// of the source, then by line.
struct Batch {
  Ids source;  // each sequence with its end mark
  Ids target;  // each with its end mark; no sequence at all where labels are
  std::vector<int64_t> lines = {};
  std::vector<TokenLinks> links = {};  // of each sequence, or empty
  std::vector<int> labels = {};        // of each sequence, or empty

  int size() const { return source.of.count(); }
};

// The marks that a batch puts at the ends.
struct EndMarks {
  int source = 0;
  int target = -1;  // none: the batch has labels
};

// Sorts the examples as above.
Batch make_batch(std::vector<Example> examples, const EndMarks& ends);

// Lengths of a sequence with its end marks.
struct SequenceLength {
  int source = 0, target = 0;
};

// Cuts a list into runs whose source tokens, and whose target tokens, are at
// most `tokens` each. A longer sequence is a run of its own. Gives where each
// run begins, and the size of the list at the end.
std::vector<int> cut_by_tokens(std::span<const SequenceLength> lengths,
                               int tokens);

// Sentences with the end mark as one ragged batch, in their order.
Ids with_end(std::span<const std::vector<int>> sentences, int end);

}  // namespace fovea
