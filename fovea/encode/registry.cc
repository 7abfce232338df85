#include "fovea/encode/registry.h"

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/encode/cnn.h"
#include "fovea/encode/convolution.h"
#include "fovea/encode/identity.h"
#include "fovea/encode/lstmn.h"
#include "fovea/encode/mlp.h"
#include "fovea/encode/recurrent.h"
#include "fovea/encode/transformer.h"

namespace fovea {
namespace {

constexpr EncoderEntry kEncoders[] = {
    {"transformer", "self-attention and feed-forward layers (Vaswani 2017)",
     make_transformer_encoder},
    {"recurrent", "layers of RNN, GRU or LSTM cells, one way or both ways",
     make_recurrent_encoder},
    {"lstmn", "LSTM whose words attend to all words before (Cheng 2016)",
     make_lstmn_encoder},
    {"convolution", "gated convolutions (Gehring 2017)",
     make_convolution_encoder},
    {"cnn", "convolutions of several widths side by side (Kim 2014)",
     make_cnn_encoder},
    {"mlp", "layers that see one row each", make_mlp_encoder},
    {"none", "the embeddings as they are", make_identity_encoder},
};

}  // namespace

std::span<const EncoderEntry> encoder_registry() { return kEncoders; }

std::unique_ptr<Encoder> make_encoder(const EncoderConfig& config, int in,
                                      RandomKey key) {
  std::vector<std::string> names;
  for (const EncoderEntry& entry : kEncoders) {
    if (config.kind == entry.name) return entry.make(config, in, key);
    names.emplace_back(entry.name);
  }
  fail(ErrorKind::kUsage, "no encoder is named '", config.kind, "'",
       did_you_mean(config.kind, names));
}

}  // namespace fovea
