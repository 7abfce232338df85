// fovea average: the mean of models.
#include "fovea/models/average.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

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
    average_models(*parts, *out);
    std::cout << "wrote the mean of " << parts->size() << " to " << *out
              << "\n";
  };
}

}  // namespace fovea::cli
