#include "fovea/layers/feed_forward.h"

#include "fovea/layers/dropout.h"

namespace fovea {

FeedForward::FeedForward(const FeedForwardConfig& config, RandomKey key)
    : up_(config.width, config.hidden, true, key.with("up")),
      down_(config.hidden, config.width, true, key.with("down")),
      activation_(config.activation),
      dropout_(config.dropout) {}

Var FeedForward::operator()(const Var& x, const Pass& pass) const {
  return down_(drop(up_(x, activation_), dropout_, pass));
}

void FeedForward::params(Params& p) {
  p("up", up_);
  p("down", down_);
}

}  // namespace fovea
