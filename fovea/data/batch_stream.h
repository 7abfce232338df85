#pragma once

#include <vector>

#include "fovea/data/batch.h"
#include "fovea/data/batch_order.h"
#include "fovea/data/corpus.h"

namespace fovea {

// The batches of a corpus, epoch after epoch, without end. Each epoch has its
// own order: examples of like length in random batches, in random order. A
// stream that begins at a place gives the same batches as one that has come to
// that place. One thread at a time; the corpus must outlive it.
class BatchStream {
 public:
  explicit BatchStream(const Corpus& corpus, CorpusPlace place = {});

  // Of the batch that comes next; {epoch, 0, 0} as soon as an epoch is over.
  const CorpusPlace& place() const { return place_; }

  // A corpus without a single example is a data error.
  Batch next();

 private:
  void open();
  bool open_buffer();
  CorpusPlace next_buffer() const;
  int64_t buffers() const;  // of the epoch
  const ExampleStore& store() const;

  const Corpus* corpus_;
  CorpusPlace place_;
  int64_t epoch_ = -1, buffer_ = -1;        // what is open
  std::vector<std::vector<Visit>> visits_;  // of each buffer of the epoch
  ExampleStore store_;                      // of the buffer
  BatchOrder batches_;                      // of the buffer
};

}  // namespace fovea
