#include "fovea/io/number_table.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"

namespace fovea {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// Nothing if it is no number at all; infinities and NaN are numbers here, for
// the caller to refuse.
std::optional<float> number_in(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  float value = 0;
  const auto [end, error] =
      std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end != cell.data() + cell.size() || cell.empty()) return {};
  if (error == std::errc::result_out_of_range) return INFINITY;
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::vector<std::string> cells_of(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        cells.back() += line[i++];  // "" inside quotes is one quote
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == separator && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) cell = trimmed(cell);
  return cells;
}

class TableReader {
 public:
  explicit TableReader(std::string source) : source_(std::move(source)) {}

  void add_line(std::string_view line, int number) {
    if (trimmed(line).empty() || trimmed(line).front() == '#') return;
    if (table_.rows == 0) {
      separator_ = line.find('\t') != std::string_view::npos ? '\t' : ',';
    }
    std::vector<std::string> cells = cells_of(line, separator_);
    const bool labelled = !number_in(cells[0]);
    check_data(table_.rows == 0 || labelled == !table_.labels.empty(), source_,
               ":", number, ": '", cells[0], "' ",
               labelled ? "is no number, and the rows before have no label"
                        : "is a number where the rows before have a label");
    if (labelled) {
      table_.labels.push_back(cells[0]);
      cells.erase(cells.begin());
    }
    add_numbers(cells, number);
  }

  NumberTable take() && {
    check_data(table_.rows > 0, source_, ": there is no row of numbers");
    return std::move(table_);
  }

 private:
  void add_numbers(const std::vector<std::string>& cells, int number) {
    const auto count = static_cast<int64_t>(cells.size());
    check_data(count > 0, source_, ":", number, ": there are no numbers");
    if (table_.rows == 0) table_.columns = count;
    check_data(count == table_.columns, source_, ":", number, ": ", count,
               " numbers where the first row has ", table_.columns);
    for (const std::string& cell : cells) {
      const std::optional<float> value = number_in(cell);
      check_data(value && std::isfinite(*value), source_, ":", number, ": '",
                 cell, "' is not a finite number");
      table_.values.push_back(*value);
    }
    ++table_.rows;
  }

  std::string source_;
  NumberTable table_;
  char separator_ = ',';
};

// Words and their numbers are separated by blanks of any number.
std::vector<float> numbers_of(std::string_view rest, const std::string& place) {
  std::vector<float> values;
  std::istringstream words{std::string(rest)};
  for (std::string word; words >> word;) {
    const std::optional<float> value = number_in(word);
    check_data(value && std::isfinite(*value), place, ": '", word,
               "' is not a finite number");
    values.push_back(*value);
  }
  return values;
}

}  // namespace

NumberTable read_number_table(const std::string& text,
                              const std::string& source) {
  TableReader reader(source);
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    reader.add_line(line, ++number);
  }
  return std::move(reader).take();
}

NumberTable load_number_table(const std::string& path) {
  return read_number_table(read_text(path), path);
}

NumberTable load_word_vectors(const std::string& path,
                              const std::vector<std::string>& words) {
  std::map<std::string, std::vector<float>, std::less<>> found;
  for (const std::string& word : words) found[word];
  LineReader reader(path);
  size_t columns = 0;
  while (const std::optional<std::string_view> line = reader.next()) {
    const size_t end = line->find_first_of(" \t");
    const auto entry = found.find(line->substr(0, end));
    if (entry == found.end() || end == std::string_view::npos) continue;
    std::vector<float> values = numbers_of(line->substr(end), reader.place());
    // "2000000 300"
    if (reader.number() == 1 && values.size() == 1) continue;
    if (columns == 0) columns = values.size();
    check_data(values.size() == columns && columns > 0, reader.place(), ": ",
               values.size(), " numbers where other words have ", columns);
    entry->second = std::move(values);
  }
  NumberTable table{.labels = words,
                    .rows = static_cast<int64_t>(words.size()),
                    .columns = static_cast<int64_t>(columns)};
  for (const std::string& word : words) {
    const std::vector<float>& values = found[word];
    check_data(!values.empty(), path, ": has no vector for '", word, "'");
    table.values.insert(table.values.end(), values.begin(), values.end());
  }
  return table;
}

}  // namespace fovea
