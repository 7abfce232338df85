#pragma once

#include <deque>
#include <optional>
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
  // What dot products were taken of: score = scale * <query, key>, the weights
  // being their softmax. Rows of all heads side by side; those of queries as in
  // Blocks, those of keys and values from `keys_begin` of a sequence on.
  struct Vectors {
    Tensor query, key, value;
    std::vector<int> keys_begin = {};
    int heads = 1, key_heads = 1;
    float scale = 1;
  };
  Record(About about, Blocks blocks, std::optional<Vectors> vectors = {});

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

  // Whether vectors() may be called: they were asked for, and there are any.
  bool has_vectors() const { return vectors_.has_value(); }
  // Of one head of a sequence, [queries, D], [keys, D], [keys, Dv].
  struct HeadVectors {
    Tensor query, key, value;
    float scale;
  };
  HeadVectors vectors(int sequence, int head) const;

 private:
  int64_t block(int sequence, int head) const;

  About about_;
  Blocks blocks_;
  std::optional<Vectors> vectors_;
  std::vector<int64_t> begin_;  // of each sequence's first block
};

// Which weights are wanted, and where they go: Pass::trace points to one. Of
// one thread.
class Trace {
 public:
  // `layer` is a layer's whole name, in which * stands for any letters; no
  // heads: all. Vectors are recorded where weights are the softmax of dot
  // products of all keys.
  struct Request {
    std::string layer = "*";
    std::vector<int> heads = {};
    bool vectors = false;
  };
  Trace() : Trace({Request{}}) {}  // everything
  explicit Trace(std::vector<Request> requests);

  // The heads of this layer that are wanted, of `heads`; empty: none.
  std::vector<int> wanted(const std::string& layer, int heads) const;
  bool wants_vectors(const std::string& layer) const;
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
