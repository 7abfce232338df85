#include "fovea/models/seq2seq.h"

#include <algorithm>
#include <limits>

#include "fovea/autograd/elementwise.h"
#include "fovea/base/check.h"
#include "fovea/layers/init.h"
#include "fovea/models/sequence_loss.h"

namespace fovea {
namespace {

TokenEmbedding source_embedding(const ModelConfig& c, RandomKey key) {
  return TokenEmbedding(c.embed, c.vocabulary.source, key.with("source"));
}

TokenEmbedding target_embedding(const ModelConfig& c,
                                const TokenEmbedding& source, RandomKey key) {
  const RandomKey own = key.with("target");
  if (c.tie != Tie::kAll) {
    return TokenEmbedding(c.embed, c.vocabulary.target, own);
  }
  check_usage(c.vocabulary.source == c.vocabulary.target,
              "tie is 'all', but the source has ", c.vocabulary.source,
              " words and the target ", c.vocabulary.target,
              ": they need one vocabulary");
  return TokenEmbedding::tied(c.embed, source.table(), own);
}

// It begins as the decoder does: papers draw all weights alike.
Linear own_output_layer(const ModelConfig& c, int width, RandomKey key) {
  const int words = c.vocabulary.target;
  Linear output;
  output.weight =
      Var::parameter(input_init(c.predict.init, 1, words, width, key));
  if (c.output_bias) output.bias = Var::parameter(Tensor::zeros({words}));
  return output;
}

Linear output_layer(const ModelConfig& c, const TokenEmbedding& target,
                    int width, RandomKey key) {
  check_usage(c.tie == Tie::kNone || !c.output_norm, "tie ",
              FieldText<Tie>::print(c.tie), " and output-norm do not go ",
              "together: embeddings are not normalised");
  if (c.output_norm) {
    return Linear::normed(width, c.vocabulary.target, c.predict.dropout,
                          key.with("output"));
  }
  if (c.tie == Tie::kNone) {
    return own_output_layer(c, width, key.with("output"));
  }
  check_usage(width == c.embed.width,
              "tie is not 'none', but the decoder's "
              "rows have ",
              width, " numbers and embeddings ", c.embed.width);
  return Linear::tied(target.table(), c.output_bias);
}

}  // namespace

Ids read_before(const Ids& words, int begin) {
  Ids read{words.ids, words.of};
  for (int b = 0; b < words.of.count(); ++b) {
    int last = begin;
    for (int i = words.of.begin(b); i < words.of.end(b); ++i) {
      std::swap(read.ids[i], last);
    }
  }
  return read;
}

Seq2Seq::Seq2Seq(const ModelConfig& config, RandomKey key)
    : config_(config),
      source_(source_embedding(config, key)),
      target_(target_embedding(config, source_, key)),
      encoder_(
          make_encoder(config.encode, config.embed.width, key.with("encoder"))),
      decoder_(make_decoder(config.predict, config.attend,
                            {.words = config.embed.width,
                             .source = encoder_->width(),
                             .embedded = config.embed.width,
                             .encoded = encoder_->widths()},
                            key.with("decoder"))),
      output_(output_layer(config, target_, decoder_->width(), key)) {}

Encoded Seq2Seq::encode(const Ids& source, const Pass& pass) const {
  return encode(embed(source, pass), source.of, pass);
}

Var Seq2Seq::embed(const Ids& source, const Pass& pass) const {
  return source_(source.ids, source.of, pass.in("source"));
}

Encoded Seq2Seq::encode(const Var& embedded, const Segments& of,
                        const Pass& pass) const {
  return (*encoder_)(embedded, of, pass.in("encoder"));
}

State Seq2Seq::start(const Encoded& source, const Pass& pass) const {
  return decoder_->start(source, pass.in("decoder"));
}

Step Seq2Seq::step(State state, std::span<const int> last,
                   const Pass& pass) const {
  const Segments of = Segments::from_lengths(std::vector<int>(last.size(), 1));
  const Var words = target_(last, of, pass.in("target"), state.position);
  return decoder_->step(std::move(state), words, pass.in("decoder"));
}

Forced Seq2Seq::forced(const Encoded& source, const Ids& gold, const Pass& pass,
                       bool want_weights) const {
  return forced_on(source, read_before(gold, begin()), pass, want_weights);
}

Forced Seq2Seq::forced_on(const Encoded& source, const Ids& read,
                          const Pass& pass, bool want_weights) const {
  const Var x = target_(read.ids, read.of, pass.in("target"));
  return decoder_->forced(source, x, read.of, pass.in("decoder"), want_weights);
}

Var Seq2Seq::readout(const Var& hidden) const { return output_(hidden); }

Linear Seq2Seq::output_for(std::span<const int> words) const {
  return output_.outputs(words);
}

BatchLoss Seq2Seq::loss(const Batch& batch, const LossOptions& options,
                        const Pass& pass) const {
  return sequence_loss(*this, batch, options, pass);
}

void Seq2Seq::params(Params& p) {
  p("source", source_);
  p("target", target_);
  p("encoder", *encoder_);
  p("decoder", *decoder_);
  p("output", output_);
}

int Seq2Seq::longest() const {
  const PositionConfig& position = config_.embed.position;
  const bool ends = position.kind == PositionKind::kLearned &&
                    position.learned.beyond == BeyondTable::kError;
  return ends ? position.learned.longest - 1 : std::numeric_limits<int>::max();
}

int longest_of(std::span<const Seq2Seq* const> models) {
  int longest = std::numeric_limits<int>::max();
  for (const Seq2Seq* model : models) {
    longest = std::min(longest, model->longest());
  }
  return longest;
}

std::string Seq2Seq::alignment_layer() const {
  return "decoder." + decoder_->alignment_layer();
}

}  // namespace fovea
