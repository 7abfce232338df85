#pragma once

#include <deque>
#include <string>
#include <vector>

#include "fovea/autograd/pairs.h"
#include "fovea/layers/pass.h"
#include "fovea/tensor/segments.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

// The attention weights of one layer in one call (SPEC Z8). Whoever knows the
// tokens adds labels.
class Record {
 public:
  // What the weights are of.
  struct About {
    std::string name;   // of the layer: "encoder.2.self"
    std::string kind;   // "self", "cross", "pooling", "mask" ...
    std::string score;  // "scaled_dot"
    int step = 0;       // position of the first query
  };
  // A block [queries, keys] for each sequence and head of `heads`, in this
  // order, one after another; `visible` says which keys each query row meets.
  struct Blocks {
    std::vector<int> heads;
    Segments queries;
    std::vector<int> keys;  // of each sequence
    Tensor values;
    std::vector<Pairs::Row>
        visible;  // [M]; of dense rows: their sequences' own
  };
  Record(About about, Blocks blocks);

  const About& about() const { return about_; }
  const std::vector<int>& heads() const { return blocks_.heads; }
  int sequences() const { return blocks_.queries.count(); }
  int queries(int sequence) const { return blocks_.queries.length(sequence); }
  int keys(int sequence) const { return blocks_.keys[sequence]; }

  // [queries, keys]; `head` is one of heads().
  Tensor weights(int sequence, int head) const;
  Tensor mean_weights(int sequence) const;  // over heads()
  // True where the query may look at the key. [queries * keys]
  std::vector<bool> valid(int sequence) const;

 private:
  int64_t block(int sequence, int head) const;

  About about_;
  Blocks blocks_;
  std::vector<int64_t> begin_;  // of each sequence's first block
};

// Which weights are wanted, and where they go: Pass::trace points to one. Of
// one thread.
class Trace {
 public:
  // `layer` is a layer's whole name, in which * stands for any letters; no
  // heads: all.
  struct Request {
    std::string layer = "*";
    std::vector<int> heads = {};
  };
  Trace() : Trace({Request{}}) {}  // everything
  explicit Trace(std::vector<Request> requests);

  // The heads of this layer that are wanted, of `heads`; empty: none.
  std::vector<int> wanted(const std::string& layer, int heads) const;
  void add(Record record) { records_.push_back(std::move(record)); }

  // References to them stay valid while others are added.
  const std::deque<Record>& records() const { return records_; }
  // All records of one layer; throws with the names there are if there is none.
  std::vector<const Record*> of(const std::string& layer) const;
  void clear() { records_.clear(); }

 private:
  std::vector<Request> requests_;
  std::deque<Record> records_;
};

// The heads that `pass` asks of this layer: empty without a trace.
std::vector<int> traced_heads(const Pass& pass, int heads);

}  // namespace fovea
