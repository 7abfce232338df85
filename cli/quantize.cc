// fovea quantize: a model in 8 bits.
#include "fovea/models/quantize.h"

#include <iostream>
#include <memory>
#include <string>

#include "cli/command.h"
#include "fovea/models/box.h"
#include "fovea/models/folder.h"

namespace fovea::cli {
namespace {

size_t weight_bytes(const FileSource& files) {
  return files.bytes(kWeightsFile).bytes.size();
}

}  // namespace

Run quantize(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>();
  app.add_option("MODEL", *folder, "folder of a model")
      ->type_name("")
      ->required();
  app.add_option("--out", *out, "folder to write")
      ->type_name("FOLDER")
      ->required();
  return [=] {
    const FileSource files = model_files(*folder);
    quantize_model(files, *out);
    std::cout << "wrote " << *out << ": weights of " << weight_bytes(*out)
              << " bytes, " << weight_bytes(files) << " before\n";
  };
}

}  // namespace fovea::cli
