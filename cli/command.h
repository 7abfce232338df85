#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace fovea::cli {

// What a command does once its flags are known. Failure is an exception.
using Run = std::function<void()>;

// A command adds its flags to `app` and returns what runs it. One file for each
// command; the table is in main.cc.
Run align(CLI::App& app);
Run attend(CLI::App& app);
Run average(CLI::App& app);
Run check_data_files(CLI::App& app);
Run demo(CLI::App& app);
Run spell(CLI::App& app);
Run evaluate(CLI::App& app);
Run explain(CLI::App& app);
Run info(CLI::App& app);
Run make_data(CLI::App& app);
Run predict(CLI::App& app);
Run quantize(CLI::App& app);
Run score(CLI::App& app);
Run serve(CLI::App& app);
Run shortlist(CLI::App& app);
Run train(CLI::App& app);
Run translate(CLI::App& app);

}  // namespace fovea::cli
