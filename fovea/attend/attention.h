#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fovea/autograd/pairs.h"
#include "fovea/autograd/var.h"
#include "fovea/layers/params.h"
#include "fovea/layers/pass.h"
#include "fovea/tensor/rows.h"
#include "fovea/tensor/segments.h"

namespace fovea {

// What is attended to: the rows of each sequence.
struct Source {
  Var keys;         // [N,D]
  Var values = {};  // [N,Dv], or empty: the keys
  Var extra = {};   // what a mechanism needs besides, such as states for gates
  Segments of;
};

constexpr int kMeanOfKeys = -1;

// A source made ready to be attended to, once. With spare capacity it is the
// key-value cache of a decoder. Copies share their rows, the spare ones too:
// only one of them may be extended.
struct Memory {
  Var keys, values, extra;  // [rows with spare ones, ...]
  Rows rows;                // of each sequence
  // Where a mechanism keeps some keys only: the index in its sequence of each
  // row that was kept, or kMeanOfKeys for a row that stands for the mean of
  // all, and the lengths before. Else empty.
  std::vector<int> kept = {}, full_lengths = {};
};

struct Queries {
  Var rows;  // [M,D]
  Segments of;
  // The memory sequence of each query sequence (beams share one); empty: the
  // sequence of the same index.
  std::span<const int> memory = {};
  // Position of each sequence's first row, as an index of keys. Empty: 0, or
  // where the mechanism is causal such that the last query stands at the last
  // key.
  std::span<const int> position = {};
  // For relative positions: a relation of each query row and key that it sees,
  // in the place of their distance. Rows one after another; empty: none.
  std::span<const int> relation = {};
  // Asks for `Attended::weights`. They cost time and memory.
  bool want_weights = false;
  std::string_view kind = "cross";  // for the record
};

// Weights with the pairs that they belong to.
struct Weights {
  Var values;  // ragged: see Pairs
  Pairs pairs;
  Var scores = {};  // that they were made of, where there are any
};

// What one step hands to the next: for coverage, the sum of the weights so far
// of each query sequence, for all its keys, head by head. Empty for most
// mechanisms, and before the first step.
struct Carry {
  Var values;
  Segments of;  // the numbers of each query sequence

  explicit operator bool() const { return static_cast<bool>(values); }
  // Those of some query sequences, which may come twice: after a beam search
  // has chosen.
  Carry select(std::span<const int> sequences) const;
};

struct Attended {
  Var context;      // [M,D]
  Weights weights;  // differentiable; empty unless asked for
  Carry carry = {};
};

// Attention over the rows of sequences. Running changes nothing, so threads may
// share one.
class Attention {
 public:
  virtual ~Attention() = default;

  virtual Memory remember(const Source& source, const Pass& pass) const = 0;
  // Appends rows to the memory's sequences, one new sequence for each;
  // inference only. Capacity grows by half when it is full.
  virtual void extend(Memory& memory, const Source& new_rows) const = 0;
  // One step or all steps. A query sequence without a row keeps its carry.
  virtual Attended attend(const Queries& queries, const Memory& memory,
                          const Carry& carry, const Pass& pass) const = 0;
  virtual void params(Params& p) = 0;

  // Each sequence attends to itself.
  Attended self(const Var& x, const Segments& of, const Pass& pass) const;
};

// Leaves some sequences of a memory, in this order; they may come twice. The
// rows of those that go are used for those that come again, so that little is
// copied. Inference only.
void keep_sequences(Memory& memory, std::span<const int> sequences);

// Writes new rows behind those of each sequence of a memory. For extend().
void append_rows(Memory& memory, const Memory& new_rows);

}  // namespace fovea
