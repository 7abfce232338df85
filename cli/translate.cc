// fovea translate: lines in, lines out.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/flags.h"
#include "fovea/base/log.h"
#include "fovea/base/unicode.h"
#include "fovea/decode/search_all.h"
#include "fovea/io/text_file.h"
#include "fovea/models/folder.h"

namespace fovea::cli {
namespace {

struct TranslateConfig {
  SearchAllConfig search;

  void fields(auto&& field) {
    search.search.fields(field);
    field("batch-size", search.batch_size, "sentences computed together");
  }
};

constexpr size_t kLinesAtOnce = 2000;

// A newline that the model wrote would be a second line.
std::string one_output_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

void translate_some(const TranslationModel& m, const TranslateConfig& config,
                    const std::vector<std::string>& lines) {
  std::vector<std::vector<int>> ids;
  for (const std::string& line : lines) ids.push_back(m.source.encode(line));
  const Seq2Seq* models[] = {m.model.get()};
  const auto found = search_all(models, sources_of(ids), config.search);
  for (const auto& hypotheses : found) {
    std::cout << one_output_line(m.target.decode(hypotheses.front().ids))
              << "\n";
  }
  std::cout << std::flush;
}

}  // namespace

Run translate(CLI::App& app) {
  auto config = std::make_shared<TranslateConfig>();
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config));
  auto folder = std::make_shared<std::string>();
  auto input = std::make_shared<std::string>("-");
  app.add_option("MODEL", *folder, "folder of a model")
      ->type_name("")
      ->required();
  app.add_option("INPUT", *input, "file of lines; -: standard input")
      ->type_name("");
  return [=] {
    flags->resolve();
    const TranslationModel model =
        load_translation_model(*folder, Precision::kFloat32);
    LineReader reader(*input);
    std::vector<std::string> lines;
    while (const auto line = reader.next()) {
      if (!is_utf8(*line)) {
        log_warning(reader.place(),
                    ": not UTF-8; bad bytes are read as U+FFFD");
      }
      lines.emplace_back(*line);
      if (lines.size() < kLinesAtOnce) continue;
      translate_some(model, *config, lines);
      lines.clear();
    }
    translate_some(model, *config, lines);
  };
}

}  // namespace fovea::cli
