// Words between blanks, each a token; all others are unknown.
#include <algorithm>
#include <unordered_map>

#include "fovea/base/check.h"
#include "fovea/data/text_model.h"
#include "fovea/data/word_ranges.h"

namespace fovea {
namespace {

class Words : public TextModel {
 public:
  explicit Words(Vocabulary vocabulary) : TextModel(std::move(vocabulary)) {
    const auto& entries = this->vocabulary().entries;
    for (int id = Vocabulary::kFirstByte; id < this->vocabulary().size();
         ++id) {
      ids_.emplace(entries[id].shown, id);
    }
  }

  std::vector<Piece> pieces(std::string_view text) const override {
    std::vector<Piece> all;
    for (const auto& [begin, end] : word_ranges(text)) {
      const auto found = ids_.find(text.substr(begin, end - begin));
      all.push_back({found == ids_.end() ? vocabulary().unknown : found->second,
                     begin, end});
    }
    return all;
  }

  std::string payload() const override {
    std::string all;
    for (int id = Vocabulary::kFirstByte; id < vocabulary().size(); ++id) {
      all += vocabulary().entries[id].shown + "\n";
    }
    return all;
  }
  std::string unit() const override { return "words"; }

 protected:
  bool has_space_in_front() const override { return true; }

 private:
  std::unordered_map<std::string_view, int> ids_;  // views into the entries
};

Vocabulary vocabulary_of(const std::vector<std::string_view>& words) {
  Vocabulary all = Vocabulary::with_marks(false);
  all.entries[all.unknown].bytes = " <unk>";
  for (const std::string_view word : words) {
    all.entries.push_back({std::string(word), join(" ", word)});
  }
  return all;
}

}  // namespace

TextModelPtr train_words(const TokenizerConfig& config,
                         const std::vector<std::string>& lines) {
  std::unordered_map<std::string_view, int64_t> counts;
  for (const std::string& line : lines) {
    for (const auto& [begin, end] : word_ranges(line)) {
      ++counts[std::string_view(line).substr(begin, end - begin)];
    }
  }
  check_data(!counts.empty(), "there is no word to learn a vocabulary from");
  std::vector<std::pair<std::string_view, int64_t>> all(counts.begin(),
                                                        counts.end());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  const size_t room = config.vocab_size - Vocabulary::kFirstByte;
  std::vector<std::string_view> words;
  for (const auto& [word, count] : all) {
    if (words.size() < room) words.push_back(word);
  }
  return std::make_unique<Words>(vocabulary_of(words));
}

TextModelPtr read_words(std::string_view payload, const std::string& source) {
  std::vector<std::string_view> words;
  while (!payload.empty()) {
    const size_t end = payload.find('\n');
    check_data(end != std::string_view::npos && end > 0, source,
               ": the list of words is damaged");
    words.push_back(payload.substr(0, end));
    payload.remove_prefix(end + 1);
  }
  return std::make_unique<Words>(vocabulary_of(words));
}

}  // namespace fovea
