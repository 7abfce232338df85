#include "fovea/explain/test_texts.h"

namespace fovea {
namespace {

Ids copied(const Ids& from, const std::vector<TextCopy>& which,
           bool leave_out) {
  std::vector<int> ids, lengths;
  for (const TextCopy& copy : which) {
    const size_t before = ids.size();
    const int begin = from.of.begin(copy.text);
    for (int t = 0; t < from.of.length(copy.text); ++t) {
      if (leave_out && t == copy.left_out) continue;
      ids.push_back(from.ids[begin + t]);
    }
    lengths.push_back(static_cast<int>(ids.size() - before));
  }
  return {std::move(ids), Segments::from_lengths(lengths)};
}

}  // namespace

Segments TestTexts::cases() const {
  if (is_sequence()) return target.of;
  return Segments::from_lengths(std::vector<int>(source.of.count(), 1));
}

TestTexts copies_of(const TestTexts& texts,
                    const std::vector<TextCopy>& which) {
  TestTexts copies{copied(texts.source, which, true), {}};
  if (texts.is_sequence()) copies.target = copied(texts.target, which, false);
  return copies;
}

}  // namespace fovea
