#include "fovea/decode/forced_attention.h"

#include "fovea/base/check.h"
#include "fovea/data/batch.h"

namespace fovea {

std::vector<CrossAttention> cross_attentions(const Seq2Seq& model) {
  const std::vector<std::vector<int>> nothing(1);
  Trace trace({{.layer = "decoder.*"}});
  record_attention(model, nothing, nothing, trace);
  std::vector<CrossAttention> all;
  for (const Record& record : trace.records()) {
    if (record.about().kind != "cross") continue;
    all.push_back(
        {record.about().name, static_cast<int>(record.heads().size())});
  }
  return all;
}

void record_attention(const Seq2Seq& model,
                      std::span<const std::vector<int>> sources,
                      std::span<const std::vector<int>> targets, Trace& trace) {
  check(sources.size() == targets.size(), "attention: ", sources.size(),
        " sources, ", targets.size(), " targets");
  const NoGrad none;
  Pass pass;
  pass.trace = &trace;
  const Encoded encoded = model.encode(with_end(sources, model.end()), {});
  model.forced(encoded, with_end(targets, model.end()), pass);
}

}  // namespace fovea
