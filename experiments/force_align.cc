// Where a trained model looks while it is forced to write the right words.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "cli/alignment_map.h"
#include "experiments/program.h"
#include "fovea/base/check.h"
#include "fovea/data/pharaoh.h"
#include "fovea/explain/render_svg.h"
#include "fovea/io/text_file.h"
#include "fovea/models/folder.h"

namespace fovea {
namespace {

constexpr const char* kUsage =
    "usage: force_align MODEL SOURCE TARGET [LINE MAP.svg [GOLD]]\n"
    "Prints for each pair of lines the links from every target token to the\n"
    "source token with the largest weight, as 0-0 1-2; the end mark is none.\n"
    "LINE, counted from 1, is drawn to MAP.svg instead, beside the links that\n"
    "GOLD has of it.\n";

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  LineReader reader(path);
  while (const auto line = reader.next()) lines.emplace_back(*line);
  return lines;
}

// The end mark is no word: its row and its column are left out.
WordLinks links(const Heatmap& map) {
  WordLinks found;
  const size_t columns = map.columns.size();
  for (size_t j = 0; columns > 1 && j + 1 < map.rows.size(); ++j) {
    const auto row = map.values.begin() + j * columns;
    const auto best = std::max_element(row, row + columns - 1);
    found.emplace_back(static_cast<int>(best - row), static_cast<int>(j));
  }
  return found;
}

Heatmap gold_map(Heatmap map, const std::string& line) {
  const auto gold = read_pharaoh(line);
  check_data(gold.has_value(), "force_align: no links: ", line);
  map.values.assign(map.values.size(), 0.0f);
  map.marked.clear();
  for (auto [i, j] : *gold) map.values[j * map.columns.size() + i] = 1.0f;
  return map;
}

void draw(Heatmap map, const std::string& path, const std::string& gold) {
  map.row_name = "target";
  map.column_name = "source";
  map.caution.clear();
  map.title = "attention";
  std::vector<Heatmap> maps = {map};
  if (!gold.empty()) {
    maps.push_back(gold_map(map, gold));
    maps.back().title = "gold";
  }
  replace_file(path, render_svg(maps, {.theme = SvgTheme::kLight}));
}

void run(const std::vector<std::string>& arguments) {
  check_usage(
      arguments.size() >= 3 && arguments.size() <= 6 && arguments.size() != 4,
      kUsage);
  const TranslationModel m =
      load_translation_model(arguments[0], Precision::kFloat32);
  const auto source = lines_of(arguments[1]), target = lines_of(arguments[2]);
  check_data(source.size() == target.size(), "force_align: ", source.size(),
             " and ", target.size(), " lines");
  const auto map_of = [&](size_t i) {
    return cli::alignment_map(*m.model, m.source, m.target, source[i],
                              target[i]);
  };
  if (arguments.size() == 3) {
    for (size_t i = 0; i < source.size(); ++i) {
      std::cout << write_pharaoh(links(map_of(i))) << "\n";
    }
    return;
  }
  const size_t line = std::stoul(arguments[3]) - 1;
  check_usage(line < source.size(), "force_align: no such line");
  draw(map_of(line), arguments[4],
       arguments.size() == 6 ? lines_of(arguments[5]).at(line) : "");
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) {
  return fovea::run_program(argc, argv, fovea::run);
}
