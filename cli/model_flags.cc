#include "cli/model_flags.h"

#include <filesystem>

#include "fovea/base/check.h"
#include "fovea/base/log.h"

namespace fovea::cli {

std::vector<std::string> ModelFlags::folders() const {
  check_usage(!std::filesystem::is_regular_file(model), model,
              ": is a file where a model's folder should be; before files to "
              "read, name a model, or 'box' for the model in the box");
  std::vector<std::string> all = {model};
  all.insert(all.end(), ensemble.begin(), ensemble.end());
  return all;
}

void ModelFlags::declare(CLI::App& app) {
  app.add_option("MODEL", model,
                 "folder of a model (default: box, the model in the box)")
      ->type_name("");
  app.add_option("--ensemble", ensemble,
                 "a further model, which votes; may come several times")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
}

void ModelFlags::warn_of_precision(const Translator& translator) const {
  if (translator.model().config.precision != Precision::kInt8) return;
  log_warning(model,
              ": its weights are int8, so --precision float32 changes "
              "nothing");
}

}  // namespace fovea::cli
