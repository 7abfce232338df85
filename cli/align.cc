// fovea align: which words of a translation belong to which of its source.
#include <iostream>
#include <memory>
#include <optional>

#include "cli/align_neural.h"
#include "cli/align_statistical.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/gold_links.h"
#include "cli/pair_reader.h"
#include "fovea/base/check.h"
#include "fovea/data/naacl.h"
#include "fovea/io/file_replacement.h"

namespace fovea::cli {
namespace {

struct AlignFlags {
  std::string input = "-", output;
};

void declare(CLI::App& app, AlignFlags& f) {
  app.add_option("INPUT", f.input,
                 "lines of source, tab or |||, translation, if there is no\n"
                 "--src; -: standard input")
      ->type_name("");
  app.add_option("-o,--output", f.output,
                 "file for the links, there when all are (standard output)")
      ->type_name("FILE");
}

void check_flags(const AlignFlags& f, const AlignConfig& config) {
  check_usage(
      f.input == "-" || (config.src.empty() && config.forward_links.empty()),
      "give INPUT ", f.input, " or ",
      config.src.empty() ? "--forward-links" : "--src and --tgt", ", not both");
  check_usage(config.gold_first == 0 || config.gold_first == 1, "--gold-first ",
              config.gold_first, ": give 0 or 1");
  check_usage(config.more_src.empty() == config.more_tgt.empty(),
              "--more-src and --more-tgt go together");
  check_usage(config.forward_links.empty() == config.backward_links.empty(),
              "--forward-links and --backward-links go together");
  check_usage(config.forward_links.empty() ||
                  (config.src.empty() && config.model.empty()),
              "--forward-links are joined as they are: no --src, no --model");
  const SymmetricAlignerConfig& rounds = config.statistical;
  check_usage(rounds.aligner.ibm1_iterations != 0 ||
                  rounds.aligner.diagonal_iterations != 0 ||
                  rounds.hmm_iterations != 0,
              "--ibm1-iterations, --diagonal-iterations and --hmm-iterations "
              "are all 0: nothing would be learnt");
  check_model_flags(config);
}

std::string lines_of(const std::vector<WordLinks>& links, LinkFormat format,
                     size_t i) {
  return format == LinkFormat::kNaacl
             ? write_naacl(static_cast<int64_t>(i), links[i])
             : write_pharaoh(links[i]) + "\n";
}

void write(const std::vector<WordLinks>& links, LinkFormat format,
           const std::string& path) {
  std::optional<FileReplacement> file;
  if (!path.empty()) file.emplace(path);
  for (size_t i = 0; i < links.size(); ++i) {
    const std::string lines = lines_of(links, format, i);
    if (file) {
      file->write(lines);
    } else {
      std::cout << lines;
    }
  }
  if (file) file->commit();
}

std::vector<WordLinks> read_links(const std::string& path) {
  std::vector<WordLinks> all;
  LineReader reader(path);
  while (const auto line = reader.next()) {
    std::optional<WordLinks> links = read_pharaoh(*line);
    check_data(links.has_value(), reader.place(),
               ": a line is links such as 0-0 1-2");
    all.push_back(std::move(*links));
  }
  return all;
}

// Links that others found.
std::vector<WordLinks> joined_links(const AlignConfig& config) {
  std::vector<WordLinks> forward = read_links(config.forward_links);
  const std::vector<WordLinks> backward = read_links(config.backward_links);
  check_data(forward.size() == backward.size(), config.forward_links, " has ",
             forward.size(), " lines but ", config.backward_links, " has ",
             backward.size());
  for (size_t i = 0; i < forward.size(); ++i) {
    forward[i] = symmetrise(forward[i], backward[i], config.statistical.how);
  }
  return forward;
}

// `text` is the number of pairs or their lengths.
template <class Text>
std::optional<GoldLinks> gold_of(const AlignConfig& config, const Text& text) {
  if (config.gold.empty()) return {};
  return GoldLinks::read(config.gold, text, config.gold_first);
}

void report(const GoldLinks& gold, const std::vector<WordLinks>& links) {
  if (links.empty()) return;
  const AlignmentError::Result r = gold.judge(links);
  std::cerr << "AER " << fixed_digits(r.error, 2) << " precision "
            << fixed_digits(r.precision, 2) << " recall "
            << fixed_digits(r.recall, 2) << " of " << links.size()
            << " pairs\n";
}

// Gold links are read before the work, which may be long.
void align_all(const AlignFlags& f, const AlignConfig& config) {
  std::optional<GoldLinks> gold;
  std::vector<WordLinks> links;
  if (!config.forward_links.empty()) {
    links = joined_links(config);
    gold = gold_of(config, std::ssize(links));
  } else if (PairReader reader({config.src, config.tgt, f.input});
             config.model.empty()) {
    AlignText text;
    std::vector<PairLengths> lengths;
    while (const auto pair = reader.next()) {
      text.add(*pair);
      lengths.push_back(lengths_of(*pair));
    }
    const int64_t count = text.source.size();
    gold = gold_of(config, lengths);
    text.add_more(config);
    links = statistical_links(config, text, count);
  } else {
    std::vector<ScoreRequest> pairs;
    std::vector<PairLengths> lengths;
    while (auto pair = reader.next()) {
      lengths.push_back(lengths_of(*pair));
      pairs.push_back(std::move(*pair));
    }
    gold = gold_of(config, lengths);
    links = neural_links(config, pairs);
  }
  write(links, config.format, f.output);
  if (gold) report(*gold, links);
}

}  // namespace

Run align(CLI::App& app) {
  auto f = std::make_shared<AlignFlags>();
  auto config = std::make_shared<AlignConfig>();
  declare(app, *f);
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config));
  return [=] {
    flags->resolve();
    check_flags(*f, *config);
    align_all(*f, *config);
  };
}

}  // namespace fovea::cli
