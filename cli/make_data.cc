// fovea make-data: texts of made-up tasks, to train on and to measure with.
#include <iostream>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/flags.h"
#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/data/synthetic.h"
#include "fovea/io/file_replacement.h"

namespace fovea::cli {
namespace {

struct MakeDataConfig {
  int64_t lines = 10000;
  std::string out;
  SyntheticConfig data;

  void fields(auto&& field) {
    field("lines", lines, "pairs to write");
    field("out", out,
          "files to write: OUT.src and OUT.tgt, or OUT.tsv of labelled\n"
          "lines; and, where it is known which word comes from which,\n"
          "OUT.align");
    data.fields(field);
  }
};

SyntheticTask task_of(const std::string& name) {
  SyntheticTask task{};
  if (FieldText<SyntheticTask>::parse(name, task)) return task;
  std::vector<std::string> names;
  for (const auto& known : kSyntheticTasks) names.emplace_back(known.name);
  fail(ErrorKind::kUsage, "there is no task '", name, "'",
       did_you_mean(name, names), ": give ", FieldText<SyntheticTask>::one());
}

void check_config(const MakeDataConfig& config) {
  check_usage(config.lines >= 0 && config.lines <= 1000000000, "--lines ",
              config.lines, ": give a number from 0 to 1000000000");
  check_usage(!config.out.empty(), "give --out, such as --out train");
  check_synthetic(config.data);
}

void write_labelled(SyntheticTask task, const MakeDataConfig& config) {
  FileReplacement lines(config.out + ".tsv"), links(config.out + ".align");
  for (int64_t i = 0; i < config.lines; ++i) {
    const SyntheticPair pair = make_synthetic(task, config.data, i);
    lines.write(pair.target + "\t" + pair.source + "\n");
    links.write(write_pharaoh(pair.links) + "\n");
  }
  lines.commit();
  links.commit();
  std::cout << "wrote " << config.lines << " labelled lines to " << config.out
            << ".tsv and " << config.out << ".align\n";
}

void write_files(SyntheticTask task, const MakeDataConfig& config) {
  FileReplacement source(config.out + ".src"), target(config.out + ".tgt");
  std::optional<FileReplacement> links;
  if (task != SyntheticTask::kDates) links.emplace(config.out + ".align");
  for (int64_t i = 0; i < config.lines; ++i) {
    const SyntheticPair pair = make_synthetic(task, config.data, i);
    source.write(pair.source + "\n");
    target.write(pair.target + "\n");
    if (links) links->write(write_pharaoh(pair.links) + "\n");
  }
  source.commit();
  target.commit();
  if (links) links->commit();
  std::cout << "wrote " << config.lines << " pairs to " << config.out
            << ".src, " << config.out << ".tgt";
  if (links) std::cout << " and " << config.out << ".align";
  std::cout << "\n";
}

}  // namespace

Run make_data(CLI::App& app) {
  auto config = std::make_shared<MakeDataConfig>();
  auto task = std::make_shared<std::string>();
  app.add_option(
         "TASK", *task,
         "dates, reverse, copy, sort, reorder (English to French,\n"
         "where adjectives stand behind), recall, evidence (labelled\n"
         "lines: one word tells which label), or roles (who did what to\n"
         "whom, in clauses active and passive)")
      ->required()
      ->type_name("");
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config));
  return [=] {
    flags->resolve();
    check_config(*config);
    const SyntheticTask made = task_of(*task);
    (is_labelled(made) ? write_labelled : write_files)(made, *config);
  };
}

}  // namespace fovea::cli
