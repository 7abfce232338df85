// fovea explain: what a model looks at, and whether that explains anything.
#include <memory>

#include "cli/command.h"
#include "cli/faithfulness.h"
#include "cli/flags.h"
#include "fovea/base/check.h"
#include "fovea/models/box.h"

namespace fovea::cli {

Run explain(CLI::App& app) {
  auto flags = std::make_shared<FaithfulnessFlags>();
  auto folder = std::make_shared<std::string>(kBoxName);
  app.add_option("MODEL", *folder,
                 "folder of a model (default: box, the model in the box)")
      ->type_name("");
  auto config = std::make_shared<ConfigFlags>(app, fields_of(*flags));
  return [=] {
    config->resolve();
    check_usage(!flags->data.empty(),
                "--faithfulness FILE is missing: texts to test with");
    test_faithfulness(*folder, *flags);
  };
}

}  // namespace fovea::cli
