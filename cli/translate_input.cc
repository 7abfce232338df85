#include "cli/translate_input.h"

#include <utility>

#include "cli/utf8_line.h"
#include "fovea/base/check.h"
#include "fovea/base/stop.h"
#include "fovea/base/words.h"

namespace fovea::cli {
namespace {

constexpr size_t kMostLines = 2048, kMostBytes = size_t{1} << 20;
constexpr int kDeepest = 1000;
constexpr int kWait = 100;  // milliseconds between looks for a signal

}  // namespace

TranslateInput::TranslateInput(const std::string& path,
                               const TranslateConfig& config)
    : format_(config.input_format), lines_(path) {
  if (config.prefix_file.empty()) return;
  check_usage(format_ == LineFormat::kText,
              "--prefix-file is for text; JSON has \"target_prefix\"");
  prefixes_.emplace(config.prefix_file);
}

std::vector<InputRecord> TranslateInput::next() {
  size_t bytes = 0;
  const auto more = [&](const std::vector<InputRecord>& some) {
    if (!some.empty()) bytes += some.back().text.size();
    if (some.size() >= kMostLines || bytes >= kMostBytes) return false;
    if (!some.empty()) return lines_.ready(0);
    while (!lines_.ready(kWait)) {
      if (stop_signal() != 0) return false;
    }
    return true;
  };
  return ahead_.next(more, [&] { return read(); });
}

std::vector<InputRecord> TranslateInput::take(int64_t lines) {
  std::vector<InputRecord> some;
  while (std::ssize(some) < lines) {
    std::optional<InputRecord> record = read();
    if (!record) break;
    some.push_back(std::move(*record));
  }
  return some;
}

std::optional<InputRecord> TranslateInput::read() {
  const auto line = lines_.next();
  if (!line) {
    check_prefixes_end();
    return {};
  }
  InputRecord record;
  record.place = lines_.place();
  record.text = utf8_line(*line, record.place);
  if (format_ == LineFormat::kJson) {
    read_object(std::exchange(record.text, {}), record);
  }
  if (prefixes_) {
    const auto prefix = prefixes_->next();
    check_data(prefix.has_value(), prefixes_->place(),
               ": is the last line, but the input has more");
    record.prefix = utf8_line(*prefix, prefixes_->place());
  }
  return record;
}

void TranslateInput::read_object(std::string_view line,
                                 InputRecord& record) const {
  if (is_blank(line)) {
    record.empty_line = true;
    return;
  }
  using Json = nlohmann::ordered_json;
  // Writing it needs a stack.
  const auto check_depth = [&](int depth, Json::parse_event_t, Json&) {
    check_data(depth <= kDeepest, record.place, ": is nested deeper than ",
               kDeepest);
    return true;
  };
  auto object = Json::parse(line, check_depth, false);
  check_data(object.is_object(), record.place, ": is no JSON object");
  check_data(object.contains("text") && object["text"].is_string(),
             record.place, ": the object has no \"text\" that is a string");
  record.text = object["text"];
  if (object.contains("target_prefix") && !object["target_prefix"].is_null()) {
    check_data(object["target_prefix"].is_string(), record.place,
               ": \"target_prefix\" is no string");
    record.prefix = object["target_prefix"];
  }
  record.object = std::move(object);
}

bool TranslateInput::skip(int64_t lines) {
  for (int64_t i = 0; i < lines; ++i) {
    if (!lines_.next()) return false;
    if (prefixes_) prefixes_->next();
  }
  return true;
}

void TranslateInput::check_prefixes_end() {
  if (!prefixes_ || !prefixes_->next()) return;
  fail(ErrorKind::kData, prefixes_->place(), ": the input has no such line");
}

}  // namespace fovea::cli
