#include "bench/lexicon.h"

#include <algorithm>
#include <numeric>

#include "fovea/data/word_aligner.h"
#include "fovea/io/text_file.h"

namespace fovea::bench {
namespace {

Sentences read_ids(const std::string& file, const Tokenizer& tokenizer) {
  Sentences all;
  LineReader reader(file);
  while (const auto line = reader.next()) all.add(tokenizer.encode(*line));
  return all;
}

// Sorted, the end mark among them: a sentence must be able to end.
std::vector<int> frequent_words(const Sentences& text, const Tokenizer& words,
                                int most) {
  std::vector<int64_t> count(words.size(), 0);
  for (int64_t i = 0; i < text.size(); ++i) {
    for (int id : text[i]) ++count[id];
  }
  std::vector<int> order(count.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return count[a] > count[b]; });
  order.resize(std::min<size_t>(order.size(), most));
  order.push_back(words.end());
  std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  return order;
}

}  // namespace

std::vector<int> Lexicon::shortlist(const std::vector<int>& source) const {
  std::vector<int> all = always;
  for (int id : source) {
    all.insert(all.end(), words[id].begin(), words[id].end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Lexicon learn_lexicon(const std::string& source_file,
                      const std::string& target_file, const Tokenizer& source,
                      const Tokenizer& target, const LexiconConfig& config) {
  const Sentences from = read_ids(source_file, source);
  const Sentences to = read_ids(target_file, target);
  const WordAligner aligner = WordAligner::train(from, to);
  Lexicon lexicon;
  lexicon.always = frequent_words(to, target, config.frequent);
  for (int id = 0; id < source.size(); ++id) {
    std::vector<int>& words = lexicon.words.emplace_back();
    for (const auto& t : aligner.translations(id, config.translations)) {
      words.push_back(t.word);
    }
  }
  return lexicon;
}

}  // namespace fovea::bench
