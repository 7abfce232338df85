#pragma once

#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace fovea::cli {

// Reads several records at a time. What is wrong with one is told when those
// before it have been handed out.
template <class Record>
class ReadAhead {
 public:
  // Calls read(), which gives nothing at the end, while more(records) holds.
  std::vector<Record> next(const auto& more, const auto& read) {
    if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
    std::vector<Record> some;
    try {
      while (more(some)) {
        std::optional<Record> record = read();
        if (!record) break;
        some.push_back(std::move(*record));
      }
    } catch (...) {
      if (some.empty()) throw;
      failed_ = std::current_exception();
    }
    return some;
  }

 private:
  std::exception_ptr failed_;
};

}  // namespace fovea::cli
