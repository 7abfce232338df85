#include "cli/reverse_model.h"

#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "fovea/decode/greedy.h"
#include "fovea/models/presets.h"

namespace fovea::cli {
namespace {

ModelConfig config(int width) {
  ModelConfig c = preset("luong-tiny");
  c.embed.width = c.encode.width = c.predict.width = 2 * width;
  c.embed.dropout = c.encode.dropout = c.predict.dropout = 0;
  c.encode.cell = c.predict.cell = CellKind::kGru;
  c.encode.bidirectional = true;
  c.predict.feed = false;
  c.attend.score = "scaled_dot";
  c.vocabulary = {
      .source = kSymbols, .target = kSymbols, .begin = kBegin, .end = kEnd};
  return c;
}

Ids together(std::span<const std::vector<int>> words) {
  std::vector<int> ids, lengths;
  for (const std::vector<int>& word : words) {
    ids.insert(ids.end(), word.begin(), word.end());
    lengths.push_back(static_cast<int>(word.size()));
  }
  return {std::move(ids), Segments::from_lengths(lengths)};
}

Ids reversed(std::span<const std::vector<int>> words) {
  std::vector<std::vector<int>> gold;
  for (const std::vector<int>& word : words) {
    gold.emplace_back(word.rbegin(), word.rend()).push_back(kEnd);
  }
  return together(gold);
}

}  // namespace

std::vector<int> letters_to_ids(const std::string& word) {
  std::vector<int> ids;
  for (char c : word) {
    check_usage(c >= 'a' && c <= 'z', "'", word,
                "': use the small letters a to z only");
    ids.push_back(kFirstLetter + (c - 'a'));
  }
  return ids;
}

std::string ids_to_letters(std::span<const int> ids) {
  std::string word;
  for (int id : ids) {
    word.push_back(static_cast<char>('a' + id - kFirstLetter));
  }
  return word;
}

std::vector<std::vector<int>> random_words(RandomKey key, int count,
                                           int shortest, int longest) {
  std::vector<std::vector<int>> words(count);
  for (int i = 0; i < count; ++i) {
    const RandomKey mine = key.with(i);
    words[i].resize(shortest + random_below(mine, 0, longest - shortest + 1));
    for (size_t j = 0; j < words[i].size(); ++j) {
      words[i][j] =
          kFirstLetter + static_cast<int>(random_below(
                             mine, static_cast<uint32_t>(j + 1), kLetters));
    }
  }
  return words;
}

ReverseModel::ReverseModel(int width, RandomKey key)
    : model_(std::make_unique<Seq2Seq>(config(width), key)) {}

BatchLoss ReverseModel::loss(std::span<const std::vector<int>> words) const {
  return model_->loss({.source = together(words), .target = reversed(words)},
                      {}, Pass{.training = true});
}

std::vector<std::vector<int>> ReverseModel::reverse(
    std::span<const std::vector<int>> words) const {
  params().prepare(Precision::kFloat32);
  constexpr int kSpare = 5;  // letters beyond the right length
  std::vector<std::vector<int>> results;
  for (Hypothesis& h :
       greedy_search(*model_, together(words), {.extra = kSpare})) {
    std::erase(h.ids, kBegin);
    results.push_back(std::move(h.ids));
  }
  return results;
}

Tensor ReverseModel::weights(std::span<const int> word,
                             std::span<const int> written) const {
  const NoGrad none;
  Trace trace;
  const Pass pass{.trace = &trace};
  std::vector<int> gold(written.begin(), written.end());
  gold.push_back(kEnd);
  const std::vector<int> letters(word.begin(), word.end());
  model_->forced(model_->encode(together({&letters, 1}), pass),
                 together({&gold, 1}), pass);
  return trace.of(model_->alignment_layer()).front()->mean_weights(0);
}

ReverseTrainer::ReverseTrainer(const ReverseModel& model)
    : model_(model), optimizer_({}, model.params()) {}

float ReverseTrainer::step(std::span<const std::vector<int>> words,
                           float rate) {
  const BatchLoss loss = model_.loss(words);
  loss.total.backward();
  optimizer_.step(++steps_, rate, optimizer_.gradient_norm());
  return static_cast<float>(loss.nll / static_cast<double>(loss.rows));
}

}  // namespace fovea::cli
