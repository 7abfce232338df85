#include "cli/model_flags.h"

namespace fovea::cli {

std::vector<std::string> ModelFlags::folders() const {
  std::vector<std::string> all = {model};
  all.insert(all.end(), ensemble.begin(), ensemble.end());
  return all;
}

void ModelFlags::declare(CLI::App& app) {
  app.add_option("MODEL", model, "folder of a model")
      ->type_name("")
      ->required();
  app.add_option("--ensemble", ensemble,
                 "a further model, which votes; may come several times")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
}

}  // namespace fovea::cli
