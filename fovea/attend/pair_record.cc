#include "fovea/attend/pair_record.h"

#include <algorithm>

namespace fovea {
namespace {

// The rows of one sequence and head, [queries, keys].
void spread(const Weights& weights, int head, const RecordPlaces& places, int b,
            float* to) {
  for (int m = places.queries.begin(b); m < places.queries.end(b); ++m) {
    const Pairs::Row& row = weights.pairs.row(m);
    const float* from =
        weights.values.value().data() + weights.pairs.begin(m, head);
    for (int j = 0; j < row.keys; ++j) {
      const int at =
          places.kept.empty() ? row.first + j : places.kept[row.key + j];
      if (at == kMeanOfKeys) {
        const auto count = static_cast<float>(places.keys[b]);
        std::fill_n(to, places.keys[b], from[j] / count);
      } else {
        to[at] = from[j];
      }
    }
    to += places.keys[b];
  }
}

}  // namespace

Record pair_record(Record::About about, std::vector<int> heads,
                   const Weights& weights, const RecordPlaces& places,
                   std::optional<Record::Vectors> vectors) {
  const Segments& queries = places.queries;
  int64_t total = 0;
  for (int b = 0; b < queries.count(); ++b) {
    total += std::ssize(heads) * queries.length(b) * places.keys[b];
  }
  Record::Blocks blocks{.heads = std::move(heads),
                        .queries = queries,
                        .keys = places.keys,
                        .values = Tensor::zeros({total}),
                        .visible = {}};
  float* to = blocks.values.data();
  for (int b = 0; b < queries.count(); ++b) {
    for (int head : blocks.heads) {
      spread(weights, head, places, b, to);
      to += int64_t{queries.length(b)} * places.keys[b];
    }
    for (int m = queries.begin(b); m < queries.end(b); ++m) {
      blocks.visible.push_back(weights.pairs.row(m));
      if (!places.kept.empty()) blocks.visible.back().keys = places.keys[b];
    }
  }
  return {std::move(about), std::move(blocks), std::move(vectors)};
}

}  // namespace fovea
