#include "cli/train_sizes.h"

#include "fovea/base/check.h"

namespace fovea::cli {
namespace {

// "128", or "64/128/64" where parts differ.
std::string widths_of(const TrainConfig& config) {
  const ModelConfig& m = config.model;
  const bool classify = config.task == Task::kClassify;
  const int last = classify ? m.encode.width : m.predict.width;
  if (m.embed.width == m.encode.width && last == m.encode.width) {
    return join("width ", last);
  }
  const std::string both = join(m.embed.width, "/", m.encode.width);
  return classify ? join("widths ", both, " (embedded, encoder)")
                  : join("widths ", both, "/", last,
                         " (embedded, encoder, decoder)");
}

std::string transformer_sizes(const EncoderConfig& encode) {
  return join(", ", encode.heads, " heads, feed-forward ", encode.ffn);
}

}  // namespace

std::string sizes_text(const TrainConfig& config) {
  const ModelConfig& m = config.model;
  const std::string decoder =
      config.task == Task::kClassify ? "" : join("+", m.predict.layers);
  const std::string& name =
      config.start_from.empty() ? config.preset : config.start_from;
  return join(name, ", ", m.encode.layers, decoder, " layers, ",
              widths_of(config),
              m.encode.kind == "transformer" ? transformer_sizes(m.encode) : "",
              ", dropout ", FieldText<float>::print(m.encode.dropout));
}

}  // namespace fovea::cli
