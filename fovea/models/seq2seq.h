#pragma once

#include <memory>
#include <span>

#include "fovea/embed/token.h"
#include "fovea/encode/encoder.h"
#include "fovea/models/config.h"
#include "fovea/models/model.h"
#include "fovea/predict/predictor.h"

namespace fovea {

// A sequence-to-sequence model. Running changes nothing, so threads may share
// one. It stays where it is: lists of parameters refer to it.
class Seq2Seq : public Model {
 public:
  Seq2Seq(const ModelConfig& config, RandomKey key);
  Seq2Seq(const Seq2Seq&) = delete;
  Seq2Seq& operator=(const Seq2Seq&) = delete;

  // Source sentences that end with the end mark.
  Encoded encode(const Ids& source, const Pass& pass) const;
  // The same in two steps, for whoever looks at what is between.
  Var embed(const Ids& source, const Pass& pass) const;  // [N,E]
  Encoded encode(const Var& embedded, const Segments& of,
                 const Pass& pass) const;

  // Word by word, without a graph: see SequencePredictor. `last` has the last
  // word of each hypothesis; at the beginning, begin().
  State start(const Encoded& source, const Pass& pass) const;
  Step step(State state, std::span<const int> last, const Pass& pass) const;
  // All words at once; `gold` ends with the end mark.
  Forced forced(const Encoded& source, const Ids& gold, const Pass& pass,
                bool want_weights = false) const;
  // The same, for other words before each than the gold ones: see read_before.
  Forced forced_on(const Encoded& source, const Ids& read, const Pass& pass,
                   bool want_weights) const;
  Var readout(const Var& hidden) const;  // scores of words, [M,V]
  // What gives the scores of some words only; for inference.
  Linear output_for(std::span<const int> words) const;

  BatchLoss loss(const Batch& batch, const LossOptions& options,
                 const Pass& pass) const override;
  void params(Params& p) override;

  int begin() const { return config_.vocabulary.begin; }
  int end() const { return config_.vocabulary.end; }
  // Words that a sentence may have, the end mark apart: learned positions end.
  int longest() const;
  const ModelConfig& config() const { return config_; }
  // The name in records of the attention that is taken for the alignment.
  std::string alignment_layer() const;
  bool has_attention() const { return !decoder_->alignment_layer().empty(); }

 private:
  ModelConfig config_;
  TokenEmbedding source_, target_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<SequencePredictor> decoder_;
  Linear output_;
};

// Words that a sentence may have for all of them.
int longest_of(std::span<const Seq2Seq* const> models);

// What a decoder reads to say these words: the begin mark, then all but the
// last of each sequence.
Ids read_before(const Ids& words, int begin);

}  // namespace fovea
