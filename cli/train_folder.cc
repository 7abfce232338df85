#include "cli/train_folder.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "cli/guided_alignment.h"
#include "fovea/base/check.h"
#include "fovea/data/hash.h"
#include "fovea/io/yaml.h"

namespace fovea::cli {
namespace {

// All that a run reads again when it goes on, and what is in it: "SIZE HASH
// PATH".
std::vector<std::string> texts_of(const TrainConfig& config) {
  std::vector<std::string> paths;
  for (const auto* more :
       {&config.corpus.src, &config.corpus.tgt, &config.corpus.labelled,
        &config.valid_src, &config.valid_tgt, &config.valid}) {
    paths.insert(paths.end(), more->begin(), more->end());
  }
  for (const std::string& path : given_links(config)) paths.push_back(path);
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    const FileHash hash = file_hash(path);
    texts.push_back(join(hash.bytes, " ", std::hex, hash.hash, " ", path));
  }
  return texts;
}

std::string path_of(const std::string& text) {
  return text.substr(text.find(' ', text.find(' ') + 1) + 1);
}

// Where the folder is and how often it is saved by the clock change no result.
constexpr std::string_view kFree[] = {"out", "save-minutes"};

std::string changed_options(TrainConfig& before, TrainConfig& now) {
  std::string changes;
  for (const FieldChange& change :
       changed_fields(fields_of(before), fields_of(now))) {
    if (std::ranges::find(kFree, change.name) != std::end(kFree)) continue;
    changes += join(changes.empty() ? "" : ", ", change.name, " (was '",
                    change.before, "', now '", change.after, "')");
  }
  return changes;
}

std::string changed_texts(const std::vector<std::string>& before,
                          const std::vector<std::string>& now) {
  std::string changes;
  for (size_t i = 0; i < std::min(before.size(), now.size()); ++i) {
    if (before[i] == now[i]) continue;
    changes += (changes.empty() ? "" : ", ") + path_of(now[i]);
  }
  return changes;
}

void begin(TrainConfig& config, RunFolder& folder,
           std::vector<std::string> texts) {
  save_yaml(folder.file("train.yaml"), fields_of(config));
  RunIndex index = folder.index();
  index.texts = std::move(texts);
  folder.set_index(index);
}

// Of a run that never came to a checkpoint.
void begin_again(TrainConfig& config, RunFolder& folder,
                 std::vector<std::string> texts) {
  bool same = folder.index().texts == texts;
  try {
    TrainConfig before;
    load_yaml(folder.file("train.yaml"), fields_of(before));
    same = same && changed_options(before, config).empty();
  } catch (const Error&) {
    same = false;  // of another version
  }
  if (!same) folder.remove_prepared();
  begin(config, folder, std::move(texts));
}

}  // namespace

void check_same_run(TrainConfig& config, RunFolder& folder) {
  const std::string file = folder.file("train.yaml");
  if (folder.index().last < 0) {
    const bool began = std::filesystem::exists(file);
    (began ? begin_again : begin)(config, folder, texts_of(config));
    return;
  }
  TrainConfig before;
  load_yaml(file, fields_of(before));
  const std::string options = changed_options(before, config);
  check_usage(options.empty(), folder.path(),
              " holds a run with other options: ", options,
              "; use the same ones, another --out, or --overwrite");
  if (folder.index().finished || folder.index().texts.empty()) return;
  const std::string texts =
      changed_texts(folder.index().texts, texts_of(config));
  check_usage(texts.empty(), folder.path(),
              " holds a run whose text has changed since: ", texts,
              "; restore it, or use another --out or --overwrite");
}

}  // namespace fovea::cli
