#include "fovea/encode/lstmn.h"

#include <vector>

#include "fovea/attend/lstmn.h"
#include "fovea/attend/settings.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/layers/dropout.h"
#include "fovea/layers/recurrent_stack.h"

namespace fovea {
namespace {

struct ScoreConfig {
  int hidden = 0;
  bool summary = false;
  void fields(auto&& field) {
    field("hidden", hidden, "width of the scores; 0: as wide as the state");
    field("summary", summary, "scores know the summary of the step before");
  }
};

// The last row of each sequence, zeros for one without a row.
Var last_rows(const Var& x, const Segments& of) {
  std::vector<int> ids;
  for (int b = 0; b < of.count(); ++b) {
    ids.push_back(of.length(b) > 0 ? of.end(b) - 1 : of.total());
  }
  return gather(concat_rows({x, Tensor::zeros({1, x.dim(1)})}), ids);
}

class LstmnEncoder : public Encoder {
 public:
  LstmnEncoder(const EncoderConfig& config, const ScoreConfig& score, int in,
               RandomKey key)
      : config_(config) {
    const LstmnConfig lstmn{.width = config.width,
                            .hidden = score.hidden,
                            .summary = score.summary};
    for (int i = 0; i < config.layers; ++i) {
      residual_.push_back(
          has_residual(config.residual_from, i, in, config.width));
      layers_.emplace_back(lstmn, in, key.with("layer").with(i));
      in = config.width;
    }
  }

  Encoded operator()(const Var& x, const Segments& of,
                     const Pass& pass) const override {
    Encoded encoded{.states = x, .of = of, .embedded = x};
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Pass in_layer = pass.in("layer", static_cast<int>(i));
      const Var below = encoded.states;
      const Var read = i > 0 ? drop(below, config_.dropout, in_layer) : below;
      const LstmnReading reading = layers_[i](read, of, in_layer);
      encoded.states = residual_[i] ? reading.states + below : reading.states;
      encoded.last.push_back(last_rows(reading.states, of));
      encoded.cells.push_back(last_rows(reading.cells, of));
    }
    return encoded;
  }

  int width() const override { return config_.width; }

  EncodedWidths widths() const override {
    return {.states = config_.width,
            .last = std::vector<int>(layers_.size(), config_.width),
            .cells = true};
  }

  void params(Params& p) override {
    for (size_t i = 0; i < layers_.size(); ++i) {
      p(join("layer.", i), layers_[i]);
    }
  }

 private:
  EncoderConfig config_;
  std::vector<Lstmn> layers_;
  std::vector<bool> residual_;
};

}  // namespace

std::unique_ptr<Encoder> make_lstmn_encoder(const EncoderConfig& config, int in,
                                            RandomKey key) {
  check_usage(config.layers >= 1, "encode.layers is ", config.layers,
              ": give at least 1");
  ScoreConfig score;
  Settings settings(config.options);
  settings.read(score);
  settings.check_all_read();
  return std::make_unique<LstmnEncoder>(config, score, in, key);
}

}  // namespace fovea
