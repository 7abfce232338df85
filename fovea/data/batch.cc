#include "fovea/data/batch.h"

#include <algorithm>
#include <tuple>

namespace fovea {
namespace {

Ids joined(std::span<const Example> examples,
           std::vector<int> Example::*sequence, int end) {
  Ids all;
  std::vector<int> lengths;
  for (const Example& example : examples) {
    const std::vector<int>& ids = example.*sequence;
    all.ids.insert(all.ids.end(), ids.begin(), ids.end());
    all.ids.push_back(end);
    lengths.push_back(static_cast<int>(ids.size()) + 1);
  }
  all.of = Segments::from_lengths(lengths);
  return all;
}

}  // namespace

Batch make_batch(std::vector<Example> examples, const EndMarks& ends) {
  std::sort(examples.begin(), examples.end(),
            [](const Example& a, const Example& b) {
              return std::tuple(b.target.size(), b.source.size(), a.line) <
                     std::tuple(a.target.size(), a.source.size(), b.line);
            });
  Batch batch;
  batch.source = joined(examples, &Example::source, ends.source);
  if (ends.target >= 0) {
    batch.target = joined(examples, &Example::target, ends.target);
  }
  const bool linked =
      std::any_of(examples.begin(), examples.end(),
                  [](const Example& e) { return !e.links.empty(); });
  for (Example& example : examples) {
    batch.lines.push_back(example.line);
    if (ends.target < 0) batch.labels.push_back(example.label);
    if (linked) batch.links.push_back(std::move(example.links));
  }
  return batch;
}

std::vector<int> cut_by_tokens(std::span<const SequenceLength> lengths,
                               int tokens) {
  std::vector<int> begins = {0};
  int64_t source = 0, target = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    source += lengths[i].source;
    target += lengths[i].target;
    const auto here = static_cast<int>(i);
    if (std::max(source, target) > tokens && here > begins.back()) {
      begins.push_back(here);
      source = lengths[i].source;
      target = lengths[i].target;
    }
  }
  if (!lengths.empty()) begins.push_back(static_cast<int>(lengths.size()));
  return begins;
}

Ids with_end(std::span<const std::vector<int>> sentences, int end) {
  std::vector<int> ids, lengths;
  for (const std::vector<int>& sentence : sentences) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    ids.push_back(end);
    lengths.push_back(static_cast<int>(sentence.size()) + 1);
  }
  return {std::move(ids), Segments::from_lengths(lengths)};
}

}  // namespace fovea
