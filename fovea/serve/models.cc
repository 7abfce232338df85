#include "fovea/serve/models.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/models/box.h"
#include "fovea/serve/http_error.h"

namespace fovea {
namespace {

const char* const kBoxLanguages = "en-fr";

std::string last_part(const std::string& folder) {
  const std::filesystem::path path =
      std::filesystem::path(folder).lexically_normal();
  return path.has_filename() ? path.filename().string()
                             : path.parent_path().filename().string();
}

}  // namespace

ModelPlace ModelPlace::of(const std::string& folder,
                          const std::string& languages) {
  ModelPlace place{folder, last_part(folder), "", ""};
  std::string pair = languages;
  if (pair.empty()) pair = folder == kBoxName ? kBoxLanguages : place.name;
  // Scripts and countries begin with a capital: en-pt-BR, zh-Hans-en.
  static const std::string code = "([a-z]{2,3}(?:-[A-Z][A-Za-z]{1,3})?)";
  static const std::regex whole(code + "-" + code);
  static const std::regex end(".*?(?:^|[^a-z])" + code + "-" + code);
  std::smatch found;
  const bool known =
      std::regex_match(pair, found, languages.empty() ? end : whole);
  check_usage(known || languages.empty(), "--languages ", languages,
              ": give two codes such as en-fr or en-pt-BR");
  if (known) {
    place.source = found[1];
    place.target = found[2];
  }
  return place;
}

ModelStore::ModelStore(std::vector<ModelPlace> places, Precision precision)
    : places_(std::move(places)), precision_(precision) {
  check_usage(!places_.empty(), "there is no model to serve");
  std::set<std::string> names;
  for (const ModelPlace& place : places_) {
    check_usage(names.insert(place.name).second, "two models have the name '",
                place.name, "'");
  }
}

void ModelStore::load() {
  std::vector<ModelRef> loaded;
  uint64_t number = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    number = ++loads_;
  }
  for (const ModelPlace& place : places_) {
    loaded.push_back(std::make_shared<ServedModel>(
        ServedModel{place, number, Translator::load({place.folder}, precision_),
                    load_faithfulness(model_files(place.folder))}));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  models_ = std::move(loaded);
}

bool ModelStore::ready() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !models_.empty();
}

std::vector<ModelRef> ModelStore::all() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return models_;
}

ModelRef ModelStore::find(const std::string& name) const {
  const std::vector<ModelRef> models = all();
  if (models.empty()) throw HttpError(503, "the models are being loaded", 1);
  if (name.empty()) return models.front();
  std::vector<std::string> names;
  for (const ModelRef& model : models) {
    if (model->place.name == name) return model;
    names.push_back(model->place.name);
  }
  throw HttpError(
      404, join("there is no model '", name, "'", did_you_mean(name, names)));
}

}  // namespace fovea
