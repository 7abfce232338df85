// fovea evaluate: how good outputs are, measured against references.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/evaluate_report.h"
#include "cli/flags.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/unicode.h"
#include "fovea/eval/registry.h"
#include "fovea/io/text_file.h"

namespace fovea::cli {
namespace {

constexpr int kMostDigits = 12;
constexpr int kTokenizedLines = 100;  // that look so, before we wonder

struct EvaluateFlags {
  std::vector<std::string> references, outputs, metrics = {"bleu"};
  bool list = false, sentence = false, json = false;
};

struct EvaluateConfig {
  MetricOptions metric;
  PairedTest paired = PairedTest::kBootstrap;
  int samples = 0;
  int64_t seed = PairedOptions().seed;
  int digits = 2;

  void fields(auto&& field) {
    metric.fields(field);
    field("paired", paired,
          "how several outputs are compared with the\nfirst: bootstrap or "
          "randomisation");
    field("samples", samples,
          "draws of that; 0 means 1000 or 10000, as is\nusual");
    field("seed", seed, "of the draws");
    field("digits", digits, "of scores, after the point");
  }
};

struct TextFile {
  std::string name;
  std::vector<std::string> lines;
  MetricText text() const { return {lines, name}; }
};

TextFile read_lines(const std::string& path) {
  TextFile file{path == "-" ? "standard input" : path, {}};
  LineReader reader(path);
  while (const auto line = reader.next()) {
    check_data(is_utf8(*line), reader.place(),
               ": is no UTF-8; convert or mend the file");
    file.lines.emplace_back(*line);
  }
  check_data(!file.lines.empty(), file.name, ": there are no lines");
  return file;
}

std::vector<TextFile> read_all(const std::vector<std::string>& paths) {
  std::vector<TextFile> files;
  for (const std::string& path : paths) files.push_back(read_lines(path));
  return files;
}

void declare(CLI::App& app, EvaluateFlags& f) {
  app.add_option("OUTPUT", f.outputs,
                 "files to judge, one for each system; - or none\nreads "
                 "standard input")
      ->type_name("");
  app.add_option("-r,--ref", f.references,
                 "a reference, line by line; repeat it for more")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("-m,--metric", f.metrics,
                 "one or several with commas; see --list (bleu)")
      ->type_name("NAMES")
      ->allow_extra_args(false)
      ->delimiter(',');
  app.add_flag("--list", f.list, "list all metrics");
  app.add_flag("--sentence", f.sentence, "the scores of each line");
  app.add_flag("--json", f.json, "print one JSON object");
}

void list_metrics() {
  for (const MetricEntry& entry : metric_registry()) {
    std::cout << std::left << std::setw(12) << entry.name << entry.help << "\n";
  }
}

void check_flags(const EvaluateFlags& f, const EvaluateConfig& config) {
  const auto stdin_uses =
      std::count(f.references.begin(), f.references.end(), "-") +
      std::count(f.outputs.begin(), f.outputs.end(), "-");
  check_usage(stdin_uses <= 1, "standard input (-) can be read only once");
  check_usage(!f.sentence || f.outputs.size() == 1,
              "--sentence takes one output, not ", f.outputs.size());
  check_usage(config.samples >= 0, "--samples ", config.samples,
              ": give a positive number, or 0 for the usual one");
  check_usage(config.digits >= 0 && config.digits <= kMostDigits, "--digits ",
              config.digits, ": give a number from 0 to ", kMostDigits);
}

EvaluateReport make_report(const EvaluateFlags& f,
                           const EvaluateConfig& config) {
  EvaluateReport report;
  for (const std::string& name : f.metrics) {
    report.metrics.push_back(make_metric(name, config.metric));
    const Metric& metric = *report.metrics.back();
    check_usage(!f.references.empty() || !metric.takes_references(),
                metric.name(), " needs a reference: give --ref FILE");
  }
  report.references = static_cast<int>(f.references.size());
  report.paired = {config.paired, config.samples, config.seed};
  report.digits = config.digits;
  return report;
}

// BLEU of raw text is meant; text that is cut up already gets other scores.
void warn_of_tokens(const TextFile& file, const EvaluateFlags& f,
                    const EvaluateConfig& config) {
  const bool raw = config.metric.tokenize == BleuTokenizer::k13a &&
                   std::count(f.metrics.begin(), f.metrics.end(), "bleu") > 0;
  const auto tokenized = std::count_if(
      file.lines.begin(), file.lines.end(),
      [](const std::string& line) { return line.ends_with(" ."); });
  if (!raw || tokenized < kTokenizedLines) return;
  log_warning(file.name, ": ", tokenized,
              " lines end in ' .', as tokenized text does; BLEU wants raw text,"
              " --metric multi-bleu takes tokenized text");
}

void count(EvaluateReport& report, const std::vector<TextFile>& outputs,
           const std::vector<TextFile>& references) {
  std::vector<MetricText> texts;
  for (const TextFile& file : references) texts.push_back(file.text());
  for (const TextFile& output : outputs) {
    SystemScores system{output.name, {}};
    for (const auto& metric : report.metrics) {
      system.counts.push_back(
          metric->count(output.text(), metric->takes_references()
                                           ? std::span<const MetricText>(texts)
                                           : std::span<const MetricText>()));
    }
    report.systems.push_back(std::move(system));
  }
}

// Without references nothing else has compared the outputs' lengths.
void check_comparable(const EvaluateReport& report) {
  const SystemScores& first = report.systems[0];
  for (const SystemScores& system : report.systems) {
    check_data(system.counts[0].sentences() == first.counts[0].sentences(),
               system.name, " has ", system.counts[0].sentences(),
               " lines but ", first.name, " has ", first.counts[0].sentences());
  }
}

void evaluate_all(EvaluateFlags f, const EvaluateConfig& config) {
  if (f.outputs.empty()) f.outputs = {"-"};
  check_flags(f, config);
  EvaluateReport report = make_report(f, config);
  const std::vector<TextFile> references = read_all(f.references);
  const std::vector<TextFile> outputs = read_all(f.outputs);
  for (const TextFile& file : outputs) warn_of_tokens(file, f, config);
  count(report, outputs, references);
  check_comparable(report);
  if (f.json) {
    print_json(report, f.sentence);
  } else if (f.sentence) {
    print_sentences(report);
  } else if (report.systems.size() > 1) {
    print_comparison(report);
  } else {
    print_scores(report);
  }
}

}  // namespace

Run evaluate(CLI::App& app) {
  auto f = std::make_shared<EvaluateFlags>();
  auto config = std::make_shared<EvaluateConfig>();
  declare(app, *f);
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config));
  return [=] {
    if (f->list) return list_metrics();
    flags->resolve();
    evaluate_all(*f, *config);
  };
}

}  // namespace fovea::cli
