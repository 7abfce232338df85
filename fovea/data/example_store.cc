#include "fovea/data/example_store.h"

namespace fovea {

void ExampleStore::add(const Example& example) {
  rows_.push_back({.line = example.line,
                   .ids = static_cast<int64_t>(ids_.size()),
                   .links = static_cast<int64_t>(links_.size()),
                   .source = static_cast<int>(example.source.size()),
                   .target = static_cast<int>(example.target.size()),
                   .linked = static_cast<int>(example.links.size()),
                   .label = example.label});
  ids_.insert(ids_.end(), example.source.begin(), example.source.end());
  ids_.insert(ids_.end(), example.target.begin(), example.target.end());
  links_.insert(links_.end(), example.links.begin(), example.links.end());
}

void ExampleStore::append(const ExampleStore& others) {
  const auto ids = static_cast<int64_t>(ids_.size());
  const auto links = static_cast<int64_t>(links_.size());
  for (Row row : others.rows_) {
    row.ids += ids;
    row.links += links;
    rows_.push_back(row);
  }
  ids_.insert(ids_.end(), others.ids_.begin(), others.ids_.end());
  links_.insert(links_.end(), others.links_.begin(), others.links_.end());
}

Example ExampleStore::operator[](int64_t i) const {
  const Row& row = rows_[i];
  const auto source = ids_.begin() + row.ids;
  const auto target = source + row.source;
  const auto links = links_.begin() + row.links;
  return {.source = {source, target},
          .target = {target, target + row.target},
          .label = row.label,
          .links = {links, links + row.linked},
          .line = row.line};
}

SequenceLength ExampleStore::length(int64_t i) const {
  return {rows_[i].source + 1, rows_[i].target + 1};
}

}  // namespace fovea
