#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/data/batch.h"
#include "fovea/data/corpus_files.h"
#include "fovea/data/example_maker.h"
#include "fovea/data/example_store.h"
#include "fovea/data/tokenizer.h"

namespace fovea {

struct CorpusConfig {
  std::vector<std::string> src = {}, tgt = {};  // pairs of files, or
  std::vector<std::string> labelled = {};       // files of labelled lines
  std::vector<float> weights = {};              // of the files; empty: 1 each
  std::vector<std::string> alignments = {};  // Pharaoh files of word links, or
                                             // none
  int64_t shuffle_memory = 512;
  int batch_tokens = 4096;
  int max_length = 256;
  int64_t seed = 1;
  // Lines to leave out, of each pair of files, as the data check finds them;
  // empty: none.
  std::vector<std::vector<bool>> skip = {};

  // The seed, the alignments and the skipped lines come from the owner.
  void fields(auto&& field) {
    field("src", src, "text to learn from: source sentences, one a line");
    field("tgt", tgt, "text to learn from: target sentences, one a line");
    field("train", labelled,
          "text to learn classes from: lines of label, tab, text, or\n"
          "of __label__NAME text");
    field("corpus-weights", weights,
          "how often each of several texts is seen in an epoch (once);\n"
          "0.5 takes every line in every second epoch");
    field("shuffle-memory", shuffle_memory,
          "megabytes of text that are shuffled at a time");
    field("batch-tokens", batch_tokens,
          "source tokens, and target tokens, of a batch at most");
    field("max-length", max_length,
          "tokens of a sentence at most; longer pairs are left out,\n"
          "longer labelled lines are cut");
  }
};

// What an epoch holds.
struct CorpusSize {
  int64_t lines = 0;     // in the files
  int64_t examples = 0;  // these and tokens as often as weights say
  int64_t source_tokens = 0, target_tokens = 0;  // with end marks
  // Lines that are left out: by the config, without a token, too long, without
  // a known label.
  int64_t skipped = 0, empty = 0, too_long = 0, bad = 0;
  // Labelled lines of which the end, or further labels, are left out.
  int64_t cut = 0, more_labels = 0;
  // That 99 of 100 sources do not exceed, without the end mark.
  int long_source = 0;
  bool estimated = false;  // from a sample: the corpus is larger than memory
};

// A place in the endless stream of batches; the next batch is the one named.
struct CorpusPlace {
  int64_t epoch = 0, buffer = 0, batch = 0;
  friend bool operator==(const CorpusPlace&, const CorpusPlace&) = default;
  void fields(auto&& field) {
    field("epoch", epoch, "passes over the corpus that are complete");
    field("buffer", buffer, "buffers of this pass that are complete");
    field("batch", batch, "batches of this buffer that are complete");
  }
};

// Examples to learn from, in files that may be larger than memory. What fits
// into `shuffle_memory` is tokenised once and kept; else runs of lines are read
// in random order, as many at a time as fit. Immutable; threads may share it.
class Corpus {
 public:
  static Corpus of_pairs(const CorpusConfig& config, const Tokenizer& source,
                         const Tokenizer& target);
  // `labels` sorted, as labels_in() gives them. Lines with others are bad.
  static Corpus of_labels(const CorpusConfig& config, const Tokenizer& text,
                          const std::vector<std::string>& labels);

  const CorpusSize& size() const { return size_; }

  // All batches, with the lines in their order; for validation. They depend on
  // neither seed nor weights.
  std::vector<Batch> in_order() const;

 private:
  friend class BatchStream;

  Corpus(const CorpusConfig& config, CorpusFiles files, ExampleMaker make,
         EndMarks ends);
  ExampleStore read(const std::vector<Visit>& visits, int64_t epoch,
                    CorpusSize& size) const;
  ExampleStore read_visit(const Visit& visit, int64_t epoch,
                          CorpusSize& size) const;
  CorpusSize estimate() const;
  int64_t memory() const;  // of a buffer, in bytes
  RandomKey key() const;
  // Of a corpus that is kept: what an epoch sees.
  std::vector<int64_t> rows_of(int64_t epoch) const;

  CorpusConfig config_;
  CorpusFiles files_;
  ExampleMaker make_;
  EndMarks ends_;
  bool kept_ = false;  // all examples are in memory
  ExampleStore store_;
  CorpusSize size_;
};

}  // namespace fovea
