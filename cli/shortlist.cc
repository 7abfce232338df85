// fovea shortlist: which words the translation of a sentence may have.
#include "fovea/data/shortlist.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/flags.h"
#include "fovea/base/check.h"
#include "fovea/io/text_file.h"
#include "fovea/models/box.h"
#include "fovea/models/folder.h"

namespace fovea::cli {
namespace {

struct ShortlistCommandConfig {
  std::string source, target;
  ShortlistConfig shortlist;

  void fields(auto&& field) {
    field("src", source, "text to learn from, one sentence a line");
    field("tgt", target, "its translation, line by line");
    shortlist.fields(field);
  }
};

struct Text {
  Sentences source, target;
};

Text read_text_pairs(const ShortlistCommandConfig& config,
                     const TranslationModel& model) {
  Text text;
  LineReader source(config.source), target(config.target);
  for (;;) {
    const auto line = source.next(), translation = target.next();
    check_data(line.has_value() == translation.has_value(),
               line ? config.target : config.source, ": has fewer lines than ",
               line ? config.source : config.target);
    if (!line) return text;
    text.source.add(model.source.encode(*line));
    text.target.add(model.target.encode(*translation));
  }
}

// The target token with the text of each source token, or -1.
std::vector<int> copies(const TranslationModel& model) {
  std::map<std::string, int> tokens;
  for (int t = 0; t < model.target.size(); ++t) {
    tokens.emplace(model.target.piece(t), t);
  }
  std::vector<int> all;
  for (int s = 0; s < model.source.size(); ++s) {
    const auto found = tokens.find(model.source.piece(s));
    all.push_back(found == tokens.end() ? -1 : found->second);
  }
  return all;
}

// How long lists are, and how many of the right tokens they have.
void report(const Shortlist& shortlist, const Text& text, int vocabulary) {
  constexpr int64_t kMost = 10000;
  const int64_t sentences = std::min(kMost, text.source.size());
  double words = 0, tokens = 0, found = 0;
  for (int64_t i = 0; i < sentences; ++i) {
    const std::vector<int> list = shortlist.words_for(text.source[i]);
    words += static_cast<double>(list.size());
    for (const int id : text.target[i]) {
      found += std::ranges::binary_search(list, id);
      ++tokens;
    }
  }
  std::cout << "a sentence has "
            << words / static_cast<double>(std::max<int64_t>(1, sentences))
            << " of " << vocabulary << " tokens on average; "
            << 100 * found / std::max(1.0, tokens)
            << " % of the translations' tokens are among them\n";
}

}  // namespace

Run shortlist(CLI::App& app) {
  auto config = std::make_shared<ShortlistCommandConfig>();
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config));
  auto folder = std::make_shared<std::string>();
  app.add_option("MODEL", *folder, "folder of a model, which gets the file")
      ->type_name("")
      ->required();
  return [=] {
    flags->resolve();
    check_usage(!config->source.empty() && !config->target.empty(),
                "give --src and --tgt, the text to learn from");
    check_usage(*folder != kBoxName, kBoxName,
                ": the model in the box is part of this program and gets no "
                "file; name a folder (one of that name is ./",
                kBoxName, ")");
    const TranslationModel model =
        load_translation_model(*folder, Precision::kFloat32);
    const Text text = read_text_pairs(*config, model);
    check_data(text.source.id_count() > 0 && text.target.id_count() > 0,
               config->source, ", ", config->target,
               ": there is no text to learn from");
    const Shortlist list =
        Shortlist::learn(text.source, text.target,
                         {.source = model.source.size(),
                          .target = model.target.size(),
                          .end = model.target.end(),
                          .copies = copies(model),
                          .always = {model.target.unknown()}},
                         config->shortlist);
    const std::string path = FileSource(*folder).place(kShortlistFile);
    list.save(path);
    std::cout << "wrote " << path << " from " << text.source.size()
              << " pairs\n";
    report(list, text, model.target.size());
  };
}

}  // namespace fovea::cli
