#include "fovea/data/check_state.h"

#include <algorithm>

#include "fovea/base/check.h"

namespace fovea {

CheckState::CheckState(const CheckConfig& config)
    : config_(config), defects_(report_, config.show) {
  report_.skips_duplicates = config.skip_duplicates;
  report_.skips_leaks = config.skip_leaks;
}

void CheckState::begin_part(const std::string& path) {
  parts_.push_back({path, lines_.size()});
  report_.skip.emplace_back();
}

int64_t CheckState::next_line() const {
  return static_cast<int64_t>(report_.skip.back().size()) + 1;
}

void CheckState::skip() {
  lines_.add_none();
  report_.skip.back().push_back(true);
}

void CheckState::learn(uint64_t text, uint64_t all) {
  lines_.add(all);
  const auto found = held_out_.find(text);
  const bool leak = found != held_out_.end();
  if (leak) {
    const Where& where = found->second;
    defects_.add(DefectCode::kLeak, parts_.back().path, next_line(),
                 join("the same text is ", where.file, ":", where.line));
  }
  report_.skip.back().push_back(leak && config_.skip_leaks);
}

void CheckState::hold_out(uint64_t text, const std::string& path,
                          int64_t line) {
  held_out_.emplace(text, Where{path, line});
}

void CheckState::finish() {
  const auto part_of = [&](int64_t line) {
    size_t p = parts_.size() - 1;
    while (parts_[p].first > line) --p;
    return p;
  };
  for (const Repetition& repetition : lines_.repetitions()) {
    const size_t p = part_of(repetition.line), q = part_of(repetition.first);
    const int64_t line = repetition.line - parts_[p].first;
    defects_.add(DefectCode::kDuplicate, parts_[p].path, line + 1,
                 join("the same as ", p == q ? "line " : parts_[q].path + ":",
                      repetition.first - parts_[q].first + 1));
    if (config_.skip_duplicates) report_.skip[p][line] = true;
  }
  report_.lines = lines_.size();
  for (const std::vector<bool>& skip : report_.skip) {
    report_.usable += std::count(skip.begin(), skip.end(), false);
  }
  if (!parts_.empty() && report_.usable == 0) {
    defects_.add(DefectCode::kNothingLeft, parts_[0].path, 1,
                 join("none of ", report_.lines, " lines can be learnt from"));
  }
}

}  // namespace fovea
