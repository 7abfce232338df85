#include "fovea/predict/first_state.h"

#include <algorithm>

#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

using From = FirstState::From;

Linear projection(RecurrentInit init, int in, int out, RandomKey key) {
  Linear linear(in, out, true, key);
  linear.weight = Var::parameter(input_init(init, 1, out, in, key));
  return linear;
}

// The encoder's layer for the decoder's layer of this index.
size_t layer_for(int layer, size_t layers) {
  return std::min(static_cast<size_t>(layer), layers - 1);
}

int source_width(From from, const EncodedWidths& widths, int layer) {
  if (from == From::kBackward && widths.backward_first > 0) {
    return widths.backward_first;
  }
  if (from == From::kLayers && !widths.last.empty()) {
    return widths.last[layer_for(layer, widths.last.size())];
  }
  return summary_width(widths);
}

bool all_fit(const FirstState::Config& config, const EncodedWidths& widths) {
  return config.from == From::kLayers &&
         std::ssize(widths.last) == config.layers &&
         std::ranges::all_of(widths.last,
                             [&](int w) { return w == config.width; });
}

}  // namespace

Var summary_of(const Encoded& encoded, const EncodedWidths& widths) {
  return widths.last.empty() ? segment_mean(encoded.states, encoded.of)
                             : encoded.last.back();
}

int summary_width(const EncodedWidths& widths) {
  return widths.last.empty() ? widths.states : widths.last.back();
}

FirstState::FirstState(const Config& config, const EncodedWidths& from,
                       RandomKey key)
    : config_(config), widths_(from) {
  check(from.states > 0,
        "predict: a recurrent decoder needs the widths of "
        "what its encoder gives");
  const bool fit = all_fit(config, from);
  for (int i = 0; i < config.layers; ++i) {
    const int in = source_width(config.from, from, i);
    const auto make = [&](const char* name) {
      return projection(config.init, in, config.width, key.with(name).with(i));
    };
    if (!fit) h_.push_back(make("h"));
    if (config.cells && (!fit || !from.cells)) c_.push_back(make("c"));
  }
}

Var FirstState::source(const Encoded& encoded, int layer, bool cell) const {
  if (config_.from == From::kBackward && widths_.backward_first > 0) {
    return encoded.backward_first;
  }
  if (config_.from != From::kLayers || widths_.last.empty()) {
    return summary_of(encoded, widths_);
  }
  const std::vector<Var>& of_layers =
      cell && widths_.cells ? encoded.cells : encoded.last;
  return of_layers[layer_for(layer, of_layers.size())];
}

std::vector<CellState> FirstState::operator()(const Encoded& encoded) const {
  std::vector<CellState> states;
  for (int i = 0; i < config_.layers; ++i) {
    CellState state{source(encoded, i, false), {}};
    if (!h_.empty()) state.h = h_[i](state.h, Activation::kTanh);
    if (config_.cells) {
      state.c = source(encoded, i, true);
      if (!c_.empty()) state.c = c_[i](state.c);
    }
    states.push_back(std::move(state));
  }
  return states;
}

void FirstState::params(Params& p) {
  for (size_t i = 0; i < h_.size(); ++i) p(join("h.", i), h_[i]);
  for (size_t i = 0; i < c_.size(); ++i) p(join("c.", i), c_[i]);
}

}  // namespace fovea
