#include "fovea/models/box.h"

#include "fovea/base/check.h"

namespace fovea {

bool has_model_in_the_box() { return !boxed_files().empty(); }

FileSource model_in_the_box() {
  check_usage(has_model_in_the_box(),
              "this binary has no model in the box; name the folder of a "
              "model");
  return {"(model in the box)", boxed_files()};
}

FileSource model_files(const std::string& folder) {
  return folder == kBoxName ? model_in_the_box() : FileSource(folder);
}

}  // namespace fovea
