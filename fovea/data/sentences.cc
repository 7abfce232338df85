#include "fovea/data/sentences.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/data/word_ranges.h"

namespace fovea {

int WordIds::add(std::string_view word) {
  const auto found = ids_.find(word);
  if (found != ids_.end()) return found->second;
  const int id = size();
  ids_.emplace(words_.emplace_back(word), id);
  return id;
}

int WordIds::find(std::string_view word) const {
  const auto found = ids_.find(word);
  return found == ids_.end() ? -1 : found->second;
}

void Sentences::add(std::string_view line) {
  for (const auto& [begin, end] : word_ranges(line)) {
    ids_.push_back(words_.add(line.substr(begin, end - begin)));
  }
  begins_.push_back(ids_.size());
  id_count_ = std::max(id_count_, words_.size());
}

void Sentences::add(std::span<const int> ids) {
  for (const int id : ids) {
    check(id >= 0, "a word has the id ", id);
    id_count_ = std::max(id_count_, id + 1);
  }
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  begins_.push_back(ids_.size());
}

std::vector<int> Sentences::ids_of(std::string_view line) const {
  std::vector<int> ids;
  for (const auto& [begin, end] : word_ranges(line)) {
    ids.push_back(words_.find(line.substr(begin, end - begin)));
  }
  return ids;
}

}  // namespace fovea
