#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/read_ahead.h"
#include "cli/translate_config.h"
#include "fovea/io/text_file.h"

namespace fovea::cli {

// A line of the input.
struct InputRecord {
  std::string text, prefix;                 // UTF-8
  nlohmann::ordered_json object = nullptr;  // the line, if it was JSON
  bool empty_line = false;  // where JSON should be: an empty line comes out
  std::string place;        // "FILE:12"
};

// Reads what is to be translated. Bytes that are no UTF-8 are named on standard
// error.
class TranslateInput {
 public:
  TranslateInput(const std::string& path, const TranslateConfig& config);

  // Lines that have arrived, in order, not too many; waits for the first. None
  // at the end, or when a signal asks to stop. A wrong line throws when those
  // before it have been given.
  std::vector<InputRecord> next();
  // The next lines, so many if there are; waits for them.
  std::vector<InputRecord> take(int64_t lines);
  // Passes lines by. False if there are not so many.
  bool skip(int64_t lines);

 private:
  std::optional<InputRecord> read();
  void read_object(std::string_view line, InputRecord& record) const;
  void check_prefixes_end();

  const LineFormat format_;
  LineReader lines_;
  std::optional<LineReader> prefixes_;
  ReadAhead<InputRecord> ahead_;
};

}  // namespace fovea::cli
