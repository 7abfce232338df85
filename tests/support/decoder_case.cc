#include "support/decoder_case.h"

#include <algorithm>

#include "fovea/autograd/gather.h"
#include "support/check_layer.h"
#include "support/random.h"

namespace fovea::testing {

Tensor DecoderCase::source_rows() const {
  return random_tensor({source_segments().total(), words}, seed + 10);
}

Tensor DecoderCase::target_rows() const {
  return random_tensor({target_segments().total(), words}, seed + 20);
}

TinyModel::TinyModel(const DecoderCase& c, float scale)
    : encoder(make_encoder(c.encoder, c.words, RandomKey(c.seed))) {
  decoder = make_decoder(c.decoder, c.attend,
                         {.words = c.words,
                          .source = encoder->width(),
                          .embedded = c.words,
                          .encoded = encoder->widths()},
                         RandomKey(c.seed).with("decoder"));
  randomise(Params(*this), 100 * c.seed, scale);
}

void TinyModel::params(Params& p) {
  p("encoder", *encoder);
  p("decoder", *decoder);
}

Forced TinyModel::forced(const Var& source, const Segments& source_of,
                         const Var& target, const Segments& target_of,
                         const Pass& pass, bool want_weights) const {
  const Encoded encoded = (*encoder)(source, source_of, pass.in("encoder"));
  const Pass in_decoder = pass.in("decoder");
  return decoder->forced(encoded, target, target_of, in_decoder, want_weights);
}

Forced TinyModel::forced(const DecoderCase& c, const Pass& pass,
                         bool want_weights) const {
  return forced(c.source_rows(), c.source_segments(), c.target_rows(),
                c.target_segments(), pass, want_weights);
}

Tensor step_by_step(const TinyModel& model, const DecoderCase& c) {
  const NoGrad inference;
  const Segments of = c.target_segments();
  const Tensor words = c.target_rows();
  Tensor hidden({of.total(), model.decoder->width()});
  const Encoded encoded =
      (*model.encoder)(c.source_rows(), c.source_segments(), {});
  State state = model.decoder->start(encoded, {});
  std::vector<int> running(of.count());
  for (int b = 0; b < of.count(); ++b) running[b] = b;
  for (int t = 0; t < of.longest(); ++t) {
    std::vector<int> parents, left, ids;
    for (size_t i = 0; i < running.size(); ++i) {
      if (of.length(running[i]) <= t) continue;
      parents.push_back(static_cast<int>(i));
      left.push_back(running[i]);
      ids.push_back(of.begin(running[i]) + t);
    }
    running = left;
    state.keep(parents);
    Step step = model.decoder->step(std::move(state), gather(words, ids), {});
    state = std::move(step.state);
    for (size_t i = 0; i < ids.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      hidden.row_range(ids[i], ids[i] + 1)
          .copy_from(step.hidden.value().row_range(row, row + 1));
    }
  }
  return hidden;
}

std::vector<NamedAttention> many_attentions() {
  return {
      {"additive", {.score = "additive"}},
      {"additive, bare",
       {.score = "additive", .value_proj = false, .out_proj = false}},
      {"dot", {.score = "dot"}},
      {"general", {.score = "general"}},
      {"cosine", {.score = "cosine"}},
      {"location", {.score = "location"}},
      {"uniform", {.score = "uniform"}},
      {"last", {.score = "dot", .extent = "last"}},
      {"local_m",
       {.score = "dot", .extent = "local_m", .options = {"window=1"}}},
      {"local_p",
       {.score = "additive", .extent = "local_p", .options = {"window=1"}}},
      {"sparsemax", {.score = "additive", .normaliser = "sparsemax"}},
      {"hard_reinforce", {.score = "dot", .select = "hard_reinforce"}},
      {"hard_gumbel", {.score = "dot", .select = "hard_gumbel"}},
      {"gated", {.score = "additive", .select = "gated"}},
      {"multi-head", {.heads = 2, .head_size = 3}},
      {"additive heads",
       {.score = "additive",
        .heads = 2,
        .head_size = 0,
        .value_size = 3,
        .options = {"hidden=3"}}},
      {"coverage", {.score = "additive", .coverage = true}},
      {"rotary", {.position = "rope", .head_size = 4}},
  };
}

}  // namespace fovea::testing
