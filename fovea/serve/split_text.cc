#include "fovea/serve/split_text.h"

#include <algorithm>
#include <utility>

#include "fovea/base/unicode.h"
#include "fovea/data/sentence_split.h"

namespace fovea {
namespace {

// Makes the first `count` ranges one.
void join_first(std::vector<TextRange>& ranges, size_t count) {
  if (count < 2 || ranges.size() < 2) return;
  const size_t last = std::min(count, ranges.size()) - 1;
  ranges.front().end = ranges[last].end;
  ranges.erase(ranges.begin() + 1,
               ranges.begin() + static_cast<int64_t>(last) + 1);
}

void append(PreparedText& all, PreparedText sentence, const TextRange& range) {
  for (FoundPart& part : sentence.parts) {
    part.range.begin += range.begin;
    part.range.end += range.begin;
    all.parts.push_back(std::move(part));
  }
  std::ranges::move(sentence.ids, std::back_inserter(all.ids));
  std::ranges::move(sentence.shortlists, std::back_inserter(all.shortlists));
}

}  // namespace

std::vector<TextRange> split_lines(std::string_view text) {
  std::vector<TextRange> all;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const auto offset = static_cast<int>(begin);
    for (const TextRange& sentence :
         split_sentences(text.substr(begin, end - begin))) {
      all.push_back({sentence.begin + offset, sentence.end + offset});
    }
    begin = end + 1;
  }
  return all;
}

PreparedText prepare_sentences(const Translator& translator,
                               const TranslateRequest& request,
                               const TranslateOptions& options) {
  PreparedText all;
  all.text = mend_utf8(request.text);
  all.number = request.number;
  std::vector<TextRange> ranges = split_lines(all.text);
  join_first(ranges, split_lines(request.prefix).size());
  const bool one_line = all.text.find_first_of("\r\n") == all.text.npos;
  if (one_line && ranges.size() < 2) {
    return translator.prepare(request, options);
  }
  for (const TextRange& range : ranges) {
    TranslateRequest one{.text = std::string(range.of(all.text))};
    const bool first = all.parts.empty();
    if (first) one.prefix = request.prefix;
    PreparedText sentence = translator.prepare(one, options);
    if (first) all.prefix = std::move(sentence.prefix);
    append(all, std::move(sentence), range);
  }
  return all;
}

}  // namespace fovea
