#include "fovea/decode/choose_attention.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/decode/forced_attention.h"

namespace fovea {
namespace {

std::vector<int> first_numbers(int count) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Weights of words of one pair, [target, source], of each head of a layer.
struct HeadMaps {
  WordAlignment words;  // without links
  std::vector<std::vector<float>> of_head;
};

// Merging tokens to words is linear: the mean over heads can come after it.
WordAlignment mean_of(const HeadMaps& maps, std::span<const int> heads) {
  WordAlignment mean = maps.words;
  const size_t columns = mean.source.size();
  const auto share = 1.0f / static_cast<float>(heads.size());
  for (size_t t = 0; t < mean.target.size() && !maps.of_head.empty(); ++t) {
    for (size_t s = 0; s < columns; ++s) {
      float sum = 0;
      for (int head : heads) sum += share * maps.of_head[head][t * columns + s];
      if (sum > 0) {
        mean.links.push_back({static_cast<int>(s), static_cast<int>(t), sum});
      }
    }
  }
  return mean;
}

// Tries choices and keeps what came of them.
class Trial {
 public:
  Trial(const TranslationModel& model, std::span<const ScoreRequest> pairs,
        const LinksError& error, const ChooseAttentionConfig& config)
      : pairs_(pairs),
        error_(error),
        config_(config),
        layers_(cross_attentions(*model.model)),
        shifts_(config.shift ? std::vector<int>{*config.shift}
                             : std::vector<int>{0, 1}) {
    check_usage(!layers_.empty(),
                "this model has no attention, so it cannot align words");
    record(model);
  }

  std::vector<JudgedAttention> run() {
    for (size_t l = 0; l < layers_.size(); ++l) {
      for (int shift : shifts_) {
        attempt(l, shift, {});
        for (int h = 0; h < layers_[l].heads && layers_[l].heads > 1; ++h) {
          attempt(l, shift, {h});
        }
      }
    }
    join_heads();
    std::ranges::stable_sort(judged_, {}, &JudgedAttention::error);
    return std::move(judged_);
  }

 private:
  using Key = std::pair<size_t, int>;  // layer, shift

  void record(const TranslationModel& model) {
    std::vector<Trace::Request> requests;
    std::map<std::string, size_t> number;
    for (const CrossAttention& one : layers_) {
      number[one.layer] = requests.size();
      requests.push_back({one.layer});
    }
    for (size_t l = 0; l < layers_.size(); ++l) {
      for (int shift : shifts_) maps_[{l, shift}].resize(pairs_.size());
    }
    const ForcedPairs forced(model, pairs_);
    const auto use = [&](size_t pair, const Record& record, int sequence) {
      const size_t layer = number.at(record.about().name);
      for (int shift : shifts_) {
        HeadMaps& maps = maps_.at({layer, shift})[pair];
        for (int head : record.heads()) {
          maps.words =
              forced.words(pair, record.weights(sequence, head), shift);
          maps.of_head.push_back(dense_weights(maps.words));
        }
        maps.words.links.clear();
      }
    };
    forced.record(requests, config_.links.batch, use);
  }

  double attempt(size_t layer, int shift, const std::vector<int>& heads) {
    const std::vector<int> all = first_numbers(layers_[layer].heads);
    const std::vector<HeadMaps>& maps = maps_.at({layer, shift});
    std::vector<WordLinks> links;
    for (const HeadMaps& of_pair : maps) {
      links.push_back(links_of(mean_of(of_pair, heads.empty() ? all : heads),
                               config_.links));
    }
    judged_.push_back({{layers_[layer].layer, heads, shift}, error_(links)});
    tried_.push_back(layer);
    return judged_.back().error;
  }

  // Heads of one layer that together are better than the best one.
  void join_heads() {
    int best = -1;
    for (int i = 0; i < static_cast<int>(judged_.size()); ++i) {
      if (judged_[i].choice.heads.size() != 1) continue;
      if (best < 0 || judged_[i].error < judged_[best].error) best = i;
    }
    if (best < 0) return;
    const size_t layer = tried_[best];
    JudgedAttention found = judged_[best];
    for (bool better = true; better;) {
      better = false;
      const std::vector<int> before = found.choice.heads;
      for (int h = 0; h < layers_[layer].heads; ++h) {
        if (std::ranges::count(before, h) > 0) continue;
        std::vector<int> heads = before;
        heads.insert(std::ranges::upper_bound(heads, h), h);
        if (attempt(layer, found.choice.shift, heads) >= found.error) continue;
        found = judged_.back();
        better = true;
      }
    }
  }

  std::span<const ScoreRequest> pairs_;
  const LinksError& error_;
  const ChooseAttentionConfig& config_;
  std::vector<CrossAttention> layers_;
  std::vector<int> shifts_;
  std::map<Key, std::vector<HeadMaps>> maps_;
  std::vector<JudgedAttention> judged_;
  std::vector<size_t> tried_;  // the layer of each
};

}  // namespace

std::vector<JudgedAttention> choose_attention(
    const TranslationModel& model, std::span<const ScoreRequest> pairs,
    const LinksError& error, const ChooseAttentionConfig& config) {
  return Trial(model, pairs, error, config).run();
}

}  // namespace fovea
