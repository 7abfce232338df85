#include "fovea/embed/token.h"

#include <cmath>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/layers/dropout.h"
#include "fovea/layers/init.h"

namespace fovea {
namespace {

Tensor first_table(const EmbedConfig& config, int vocabulary, RandomKey key) {
  const Shape shape{vocabulary, config.width};
  if (config.bound > 0) return uniform_init(shape, key, config.bound);
  const float unit = 1.0f / std::sqrt(static_cast<float>(config.width));
  return normal_init(shape, key,
                     config.deviation > 0 ? config.deviation : unit);
}

}  // namespace

TokenEmbedding::TokenEmbedding(const EmbedConfig& config, int vocabulary,
                               RandomKey key)
    : TokenEmbedding(tied(config, {}, key)) {
  check_usage(config.width >= 1, "embed.width is ", config.width,
              ": give at least 1");
  tied_ = false;
  table_ = Var::parameter(first_table(config, vocabulary, key.with("table")));
}

TokenEmbedding TokenEmbedding::tied(const EmbedConfig& config, const Var& table,
                                    RandomKey key) {
  TokenEmbedding embedding;
  embedding.config_ = config;
  embedding.tied_ = true;
  embedding.table_ = table;
  embedding.position_ =
      PositionEmbedding(config.position, config.width, key.with("position"));
  return embedding;
}

Var TokenEmbedding::operator()(std::span<const int> ids, const Segments& of,
                               const Pass& pass,
                               std::span<const int> first) const {
  const bool infers = packed_ && !recording({table_});
  Var x = infers ? packed_.rows(ids) : gather(table_, ids);
  if (config_.scale) x = scale(x, std::sqrt(static_cast<float>(config_.width)));
  return drop(position_(x, of, first), config_.dropout, pass);
}

void TokenEmbedding::params(Params& p) {
  if (!tied_) p("table", table_);
  p.weight(table_, packed_);
  p("position", position_);
}

}  // namespace fovea
