#include "fovea/predict/registry.h"

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/predict/bottleneck.h"
#include "fovea/predict/convolution.h"
#include "fovea/predict/gnmt.h"
#include "fovea/predict/luong.h"
#include "fovea/predict/rnnsearch.h"
#include "fovea/predict/transformer.h"

namespace fovea {
namespace {

constexpr DecoderEntry kDecoders[] = {
    {"transformer",
     "self-attention, attention and feed-forward layers "
     "(Vaswani 2017)",
     make_transformer_decoder},
    {"rnnsearch", "attention by the state before (Bahdanau 2015)",
     make_rnnsearch_decoder},
    {"luong", "attention by the new state, input feeding (Luong 2015)",
     make_luong_decoder},
    {"gnmt", "attention by the bottom layer, context to all (Wu 2016)",
     make_gnmt_decoder},
    {"bottleneck", "no attention: one vector for the source",
     make_bottleneck_decoder},
    {"convolution",
     "gated convolutions, an attention in each layer (Gehring 2017)",
     make_convolution_decoder},
};

}  // namespace

std::span<const DecoderEntry> decoder_registry() { return kDecoders; }

std::unique_ptr<SequencePredictor> make_decoder(const DecoderConfig& config,
                                                const ComposedConfig& attend,
                                                const DecoderSizes& sizes,
                                                RandomKey key) {
  std::vector<std::string> names;
  for (const DecoderEntry& entry : kDecoders) {
    if (config.kind == entry.name) {
      return entry.make(config, attend, sizes, key);
    }
    names.emplace_back(entry.name);
  }
  fail(ErrorKind::kUsage, "no decoder is named '", config.kind, "'",
       did_you_mean(config.kind, names));
}

}  // namespace fovea
