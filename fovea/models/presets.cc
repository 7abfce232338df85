#include "fovea/models/presets.h"

#include <algorithm>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"

namespace fovea {
namespace {

struct TransformerSize {
  int layers, width, heads, ffn;
  float dropout;
  NormOrder norm = NormOrder::kPre;
};

// SPEC D8.
ModelConfig transformer(const TransformerSize& size) {
  ModelConfig c;
  c.embed.width = c.encode.width = c.predict.width = size.width;
  c.embed.dropout = c.encode.dropout = c.predict.dropout = size.dropout;
  c.encode.layers = c.predict.layers = size.layers;
  c.encode.heads = c.predict.heads = c.attend.heads = size.heads;
  c.encode.ffn = c.predict.ffn = size.ffn;
  c.encode.norm = c.predict.norm = size.norm;
  return c;
}

ModelConfig transformer_mini() { return transformer({2, 64, 4, 128, 0.1f}); }
ModelConfig transformer_tiny() { return transformer({4, 128, 4, 256, 0.3f}); }
ModelConfig transformer_small() { return transformer({3, 256, 4, 1024, 0.1f}); }
ModelConfig transformer_medium() {
  return transformer({6, 512, 8, 2048, 0.1f});
}
ModelConfig transformer_base() {
  return transformer({6, 512, 8, 2048, 0.1f, NormOrder::kPost});
}
ModelConfig transformer_big() {
  return transformer({6, 1024, 16, 4096, 0.3f, NormOrder::kPost});
}

constexpr Preset kPresets[] = {
    {"transformer-mini", "Transformer of 2+2 layers, width 64, for toys",
     transformer_mini},
    {"transformer-tiny", "Transformer of 4+4 layers, width 128",
     transformer_tiny},
    {"transformer-small", "Transformer of 3+3 layers, width 256",
     transformer_small},
    {"transformer-medium", "Transformer of 6+6 layers, width 512, pre-norm",
     transformer_medium},
    {"transformer-base", "as Vaswani et al. 2017 printed it: post-norm",
     transformer_base},
    {"transformer-big", "the larger one of Vaswani et al. 2017",
     transformer_big},
};

}  // namespace

std::span<const Preset> all_presets() { return kPresets; }

ModelConfig preset(const std::string& name) {
  std::vector<std::string> names;
  for (const Preset& p : kPresets) {
    if (name == p.name) return p.make();
    names.emplace_back(p.name);
  }
  fail(ErrorKind::kUsage, "no preset is named '", name, "'",
       did_you_mean(name, names));
}

SizeForData size_for_data(int64_t pairs) {
  if (pairs < 50000) {
    const int64_t words = pairs / 4 / 100 * 100;
    return {"transformer-tiny",
            static_cast<int>(std::clamp<int64_t>(words, 4000, 10000))};
  }
  if (pairs <= 500000) return {"transformer-small", 8000};
  return {"transformer-medium", 32000};
}

}  // namespace fovea
