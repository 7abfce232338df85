#include "fovea/data/batch_stream.h"

#include "fovea/base/check.h"

namespace fovea {

BatchStream::BatchStream(const Corpus& corpus, CorpusPlace place)
    : corpus_(&corpus), place_(place) {}

int64_t BatchStream::buffers() const {
  return corpus_->kept_ ? 1 : static_cast<int64_t>(visits_.size());
}

const ExampleStore& BatchStream::store() const {
  return corpus_->kept_ ? corpus_->store_ : store_;
}

CorpusPlace BatchStream::next_buffer() const {
  return place_.buffer + 1 >= buffers()
             ? CorpusPlace{place_.epoch + 1, 0, 0}
             : CorpusPlace{place_.epoch, place_.buffer + 1, 0};
}

// False if the epoch has no such buffer.
bool BatchStream::open_buffer() {
  const RandomKey key = corpus_->key();
  if (epoch_ != place_.epoch && !corpus_->kept_) {
    visits_ = corpus_->files_.epoch(place_.epoch, key.with("visits"),
                                    corpus_->memory());
  }
  if (place_.buffer >= buffers()) return false;
  if (epoch_ == place_.epoch && buffer_ == place_.buffer) return true;
  epoch_ = place_.epoch;
  buffer_ = place_.buffer;
  std::vector<int64_t> rows;
  if (corpus_->kept_) {
    rows = corpus_->rows_of(epoch_);
  } else {
    CorpusSize size;
    store_ = {};
    store_ = corpus_->read(visits_[buffer_], epoch_, size);
    for (int64_t row = 0; row < store_.size(); ++row) rows.push_back(row);
  }
  batches_ = BatchOrder(store(), std::move(rows), corpus_->config_.batch_tokens,
                        key.with(epoch_).with(buffer_));
  return true;
}

// Opens the buffer of the place or, if that is over, the next with a batch.
void BatchStream::open() {
  int64_t empty = 0;
  while (!open_buffer() || place_.batch >= batches_.count()) {
    place_ = next_buffer();
    // A corpus that is kept may have its turn in few epochs only.
    check_data(corpus_->kept_ ? store().size() > 0 : ++empty <= 2 * buffers(),
               "nothing to learn from: no line is left");
  }
}

Batch BatchStream::next() {
  open();
  std::vector<Example> examples;
  for (const int64_t row : batches_.rows(place_.batch)) {
    examples.push_back(store()[row]);
  }
  if (++place_.batch == batches_.count()) place_ = next_buffer();
  return make_batch(std::move(examples), corpus_->ends_);
}

}  // namespace fovea
