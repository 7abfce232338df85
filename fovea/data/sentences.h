#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fovea {

// Numbers for words, from 0 in the order of their coming.
class WordIds {
 public:
  int add(std::string_view word);
  int find(std::string_view word) const;  // -1 if it never came
  const std::string& word(int id) const { return words_[id]; }
  int size() const { return static_cast<int>(words_.size()); }

 private:
  std::deque<std::string> words_;  // stay where they are
  std::unordered_map<std::string_view, int> ids_;
};

// Sentences of one language as ids, one after another in memory.
class Sentences {
 public:
  // Words stand between blanks.
  void add(std::string_view line);
  // Ids that someone else gave out, none below 0.
  void add(std::span<const int> ids);

  int64_t size() const { return static_cast<int64_t>(begins_.size()) - 1; }
  std::span<const int> operator[](int64_t i) const {
    return {ids_.data() + begins_[i], begins_[i + 1] - begins_[i]};
  }
  // The ids of a line; -1 for words that never came.
  std::vector<int> ids_of(std::string_view line) const;

  const WordIds& words() const { return words_; }
  int id_count() const { return id_count_; }  // all ids are below

 private:
  WordIds words_;
  std::vector<int> ids_;
  std::vector<size_t> begins_ = {0};
  int id_count_ = 0;
};

}  // namespace fovea
