// fovea average: the mean of models.
#include "fovea/models/average.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "fovea/base/check.h"
#include "fovea/models/box.h"

namespace fovea::cli {

Run average(CLI::App& app) {
  auto parts = std::make_shared<std::vector<std::string>>();
  auto out = std::make_shared<std::string>();
  app.add_option("MODEL", *parts,
                 "folders of models, or checkpoints of a training run:\n"
                 "RUN/checkpoints/step-N")
      ->type_name("")
      ->required();
  app.add_option("--out", *out, "folder to write")
      ->type_name("FOLDER")
      ->required();
  return [=] {
    check_usage(std::ranges::find(*parts, kBoxName) == parts->end(), kBoxName,
                ": the model in the box is int8, and only float32 has a mean; "
                "name folders (one of that name is ./",
                kBoxName, ")");
    average_models(*parts, *out);
    std::cout << "wrote the mean of " << parts->size() << " to " << *out
              << "\n";
  };
}

}  // namespace fovea::cli
