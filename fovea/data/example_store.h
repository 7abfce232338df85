#pragma once

#include <cstdint>
#include <vector>

#include "fovea/data/batch.h"

namespace fovea {

// Many examples with little beside their ids.
class ExampleStore {
 public:
  void add(const Example& example);
  void append(const ExampleStore& others);

  int64_t size() const { return static_cast<int64_t>(rows_.size()); }
  Example operator[](int64_t i) const;
  int64_t line(int64_t i) const { return rows_[i].line; }
  SequenceLength length(int64_t i) const;  // with end marks

 private:
  struct Row {
    int64_t line, ids, links;  // where its ids and links begin
    int source, target, linked, label;
  };
  std::vector<Row> rows_;
  std::vector<int> ids_;  // source, then target
  TokenLinks links_;
};

}  // namespace fovea
