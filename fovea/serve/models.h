#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fovea/decode/translator.h"
#include "fovea/explain/faithfulness_summary.h"

namespace fovea {

// Where a model comes from and what it is called.
struct ModelPlace {
  std::string folder;
  std::string name;            // the folder's last part
  std::string source, target;  // languages, "en"; empty: not known

  // Languages are "en-fr"; if none are given they are those of the model in the
  // box, or what the folder's name ends with.
  static ModelPlace of(const std::string& folder, const std::string& languages);
};

struct ServedModel {
  ModelPlace place;
  uint64_t number;  // of the load: another one when it is loaded anew
  Translator translator;
  std::optional<FaithfulnessSummary> faithfulness;  // if it was tested
};
// Whoever works with a model keeps it; a new one comes beside it.
using ModelRef = std::shared_ptr<const ServedModel>;

// The models that a server has. Threads may share it.
class ModelStore {
 public:
  ModelStore(std::vector<ModelPlace> places, Precision precision);

  // Loads all models, at first and again. If one fails, those from before stay.
  void load();
  bool ready() const;
  std::vector<ModelRef> all() const;
  // By name; the first one if it is empty. An HttpError if there is none, or
  // none yet.
  ModelRef find(const std::string& name) const;

 private:
  const std::vector<ModelPlace> places_;
  const Precision precision_;
  mutable std::mutex mutex_;
  std::vector<ModelRef> models_;
  uint64_t loads_ = 0;
};

}  // namespace fovea
