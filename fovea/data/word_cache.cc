#include "fovea/data/word_cache.h"

namespace fovea {

void WordCache::append(
    std::string_view word,
    const std::function<std::vector<int>(std::string_view)>& cut,
    std::vector<int>& ids) {
  Shard& shard = shards_[Hash()(word) % kShards];
  {
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.words.find(word);
    if (found != shard.words.end()) {
      ids.insert(ids.end(), found->second.begin(), found->second.end());
      return;
    }
  }
  std::vector<int> tokens = cut(word);
  ids.insert(ids.end(), tokens.begin(), tokens.end());
  if (word.size() > kLongest) return;
  const std::lock_guard lock(shard.mutex);
  if (shard.words.size() < kMostInShard) {
    shard.words.try_emplace(std::string(word), std::move(tokens));
  }
}

}  // namespace fovea
