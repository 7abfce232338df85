// fovea check-data: every defect of a corpus, before any training.
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/flags.h"
#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/data/check.h"

namespace fovea::cli {
namespace {

nlohmann::ordered_json json_of(const CheckReport& report) {
  nlohmann::ordered_json all = {{"lines", report.lines},
                                {"usable", report.usable},
                                {"breaks_training", report.breaks_training()},
                                {"files", nlohmann::ordered_json::array()},
                                {"counts", nlohmann::ordered_json::object()},
                                {"defects", nlohmann::ordered_json::array()}};
  for (const FileFacts& file : report.files) {
    all["files"].push_back({{"path", file.path},
                            {"lines", file.lines},
                            {"words", file.words},
                            {"bytes", file.bytes},
                            {"longest", file.longest}});
  }
  for (int c = 0; c < kDefectCodes; ++c) {
    const auto code = static_cast<DefectCode>(c);
    all["counts"][kind_of(code).name] = report.count(code);
  }
  for (const Defect& defect : report.defects) {
    all["defects"].push_back({{"code", kind_of(defect.code).name},
                              {"file", defect.file},
                              {"line", defect.line},
                              {"message", defect.message}});
  }
  return all;
}

void print_files(const CheckReport& report) {
  std::cout << std::setw(10) << "lines" << std::setw(12) << "words"
            << std::setw(9) << "longest"
            << "  file\n";
  for (const FileFacts& file : report.files) {
    std::cout << std::setw(10) << file.lines << std::setw(12) << file.words
              << std::setw(9) << file.longest << "  " << one_line(file.path)
              << "\n";
  }
}

void print(const CheckReport& report) {
  for (const Defect& defect : report.defects) {
    std::cout << one_line(text_of(defect)) << "\n";
  }
  int64_t hidden = -static_cast<int64_t>(report.defects.size());
  for (const int64_t count : report.counts) hidden += count;
  if (hidden > 0) {
    std::cout << "... and " << hidden << " more; --all shows them\n";
  }
  if (!report.defects.empty()) std::cout << "\n";
  print_files(report);
  std::cout << "\n"
            << defect_table(report) << report.usable << " of " << report.lines
            << " lines can be learnt from\n";
}

}  // namespace

Run check_data_files(CLI::App& app) {
  auto config = std::make_shared<CheckConfig>();
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config));
  auto all = std::make_shared<bool>(false),
       json = std::make_shared<bool>(false);
  app.add_flag("--all", *all, "show every defect");
  app.add_flag("--json", *json, "print one JSON object");
  app.footer(
      "Each defect is one line, file:line: code: message. Exit code 3 if "
      "training could\nnot run on this data; else 0, whatever was found.");
  return [=] {
    flags->resolve();
    check_usage(
        !config->src.empty() || !config->tgt.empty() || !config->train.empty(),
        "nothing to check; give --src and --tgt, or --train");
    if (*all) config->show = std::numeric_limits<int64_t>::max();
    const CheckReport report = check_corpus(*config);
    if (*json) {
      using Json = nlohmann::ordered_json;
      std::cout << json_of(report).dump(2, ' ', false,
                                        Json::error_handler_t::replace)
                << "\n";
    } else {
      print(report);
    }
    std::cout << std::flush;
    require_usable(report);
  };
}

}  // namespace fovea::cli
