#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fovea {

// Remembers the tokens of frequent words: text repeats its words far more often
// than it brings new ones. Threads may share it.
class WordCache {
 public:
  // Appends the tokens of the word to `ids`; asks `cut` the first time.
  void append(std::string_view word,
              const std::function<std::vector<int>(std::string_view)>& cut,
              std::vector<int>& ids);

 private:
  // Few threads meet in one of the shards.
  static constexpr size_t kShards = 16, kMostInShard = 8192, kLongest = 64;
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::string, std::vector<int>, Hash, std::equal_to<>>
        words;
  };
  std::array<Shard, kShards> shards_;
};

}  // namespace fovea
