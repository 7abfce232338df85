// fovea quantize: a model in 8 bits.
#include "fovea/models/quantize.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "cli/command.h"
#include "fovea/models/folder.h"

namespace fovea::cli {
namespace {

uintmax_t weight_bytes(const std::string& folder) {
  return std::filesystem::file_size(weights_file(folder));
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
    quantize_model(*folder, *out);
    std::cout << "wrote " << *out << ": weights of " << weight_bytes(*out)
              << " bytes, " << weight_bytes(*folder) << " before\n";
  };
}

}  // namespace fovea::cli
