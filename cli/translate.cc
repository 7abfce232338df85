// fovea translate: lines in, lines out.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/model_flags.h"
#include "cli/ordered_lines.h"
#include "cli/translate_input.h"
#include "cli/translate_output.h"
#include "cli/translate_target.h"
#include "cli/utf8_line.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/progress.h"
#include "fovea/base/stop.h"
#include "fovea/base/terminal.h"
#include "fovea/data/line_file.h"

namespace fovea::cli {
namespace {

constexpr int64_t kMostNamed = 10;  // lines translated in parts

struct TranslateFlags {
  ModelFlags models;
  std::string input = "-";
  std::string output;
  bool resume = false, json = false;
  std::vector<int> heads;
  bool precision_given = false;
};

void declare(CLI::App& app, TranslateFlags& f) {
  f.models.declare(app);
  app.add_option("INPUT", f.input, "file of lines; -: standard input")
      ->type_name("");
  app.add_option("-o,--output", f.output,
                 "file to write, FILE.part until it is whole")
      ->type_name("FILE");
  app.add_flag("--resume", f.resume, "go on with a FILE.part of the same run");
  app.add_flag("--json", f.json, "--input-format json --format json");
  declare_heads(app, f.heads);
}

// What contradicts other flags is refused; what does nothing is named.
void check_flags(TranslateFlags& f, TranslateConfig& config,
                 const ConfigFlags& flags) {
  check_usage(!f.resume || !f.output.empty(),
              "--resume goes on with a file; name it with -o");
  for (const auto& [name, format] :
       {std::pair("format", &config.format),
        std::pair("input-format", &config.input_format)}) {
    check_usage(!f.json || !flags.given(name) || *format == LineFormat::kJson,
                "--json and --", name, " text exclude each other");
    if (f.json) *format = LineFormat::kJson;
  }
  f.precision_given = flags.given("precision");
  const bool samples = config.all.search.sample;
  for (const char* name : {"temperature", "top-k", "top-p", "seed"}) {
    if (samples || !flags.given(name)) continue;
    log_warning("--", name, " is for --sample and changes nothing without it");
  }
  for (const char* name : {"beam-size", "patience", "beam-threshold"}) {
    if (!samples || !flags.given(name)) continue;
    log_warning("--", name, " is for a beam and changes nothing with --sample");
  }
  const bool attends = !config.alignment.empty() || config.replace_unk ||
                       !config.unk_dictionary.empty() ||
                       config.all.search.coverage_penalty > 0;
  if (!f.heads.empty() && !attends) {
    log_warning("--alignment-head changes nothing without --alignment");
  }
}

Dictionary read_dictionary(const std::string& path) {
  Dictionary words;
  if (path.empty()) return words;
  LineReader reader(path);
  while (const auto line = reader.next()) {
    const std::string entry = utf8_line(*line, reader.place());
    const size_t tab = entry.find('\t');
    check_data(tab != std::string::npos && tab > 0, reader.place(),
               ": a line is source word, tab, target word");
    words.emplace(entry.substr(0, tab), entry.substr(tab + 1));
  }
  return words;
}

// Thrown by what watches a batch; what is finished is written already.
struct StoppedBySignal {};

// The lines of a plain file; none if it cannot be told without reading it away.
std::optional<int64_t> lines_of(const std::string& path) {
  struct stat about {};
  const bool standard = path == "-";
  const int failed =
      standard ? ::fstat(STDIN_FILENO, &about) : ::stat(path.c_str(), &about);
  if (failed != 0 || !S_ISREG(about.st_mode)) return {};
  if (!standard) return LineFile(path).lines();
  // Others may have read some of it; then the rest is not a file of its own.
  if (::lseek(STDIN_FILENO, 0, SEEK_CUR) != 0) return {};
  return LineFile("/dev/stdin").lines();
}

class TranslateSession {
 public:
  TranslateSession(const TranslateFlags& f, const TranslateConfig& config)
      : style_(OutputStyle::of(config)),
        dictionary_(read_dictionary(config.unk_dictionary)),
        options_(options_of(config, f)),
        input_(f.input, config),
        translator_(loaded(f, config, options_)),
        target_({f.output, f.resume,
                 style_.n_best && style_.format == LineFormat::kText}),
        next_(target_.done()) {
    if (f.precision_given && config.precision == Precision::kFloat32) {
      f.models.warn_of_precision(translator_);
    }
    check_last();
    // A terminal that shows the translations shows how far it is.
    if (log_level() > LogLevel::kInfo) return;
    if (f.output.empty() && stdout_is_terminal()) return;
    const auto total = lines_of(f.input);
    if (!total) return;
    ProgressOptions shown = ProgressOptions::standard_error();
    shown.unit = "lines";
    shown.first = next_;
    progress_.emplace("translate", *total, std::move(shown));
  }

  void run() {
    try {
      while (stop_signal() == 0) {
        const std::vector<InputRecord> records = input_.next();
        if (records.empty()) break;
        translate(records);
      }
    } catch (const StoppedBySignal&) {
    }
    progress_.reset();
    warn_of_unnamed();
    if (stop_signal() == 0) return target_.finish();
    if (target_.part().empty() || next_ == 0) return;
    log_info("stopped; ", target_.part(), " has ", next_,
             " lines, --resume goes on with it");
  }

 private:
  // Before there is a file to write to.
  static Translator loaded(const TranslateFlags& f,
                           const TranslateConfig& config,
                           const TranslateOptions& options) {
    Translator all = Translator::load(f.models.folders(), config.precision);
    all.check_options(options);
    return all;
  }

  TranslateOptions options_of(const TranslateConfig& config,
                              const TranslateFlags& f) const {
    TranslateOptions options{.all = config.all,
                             .max_input = config.max_input,
                             .shortlist = config.shortlist};
    options.all.search.want_weights = style_.alignment.wanted();
    options.all.search.heads = f.heads;
    if (config.replace_unk || !config.unk_dictionary.empty()) {
      options.unknown_words = &dictionary_;
    }
    check_search_config(options.all.search);
    return options;
  }

  // The same run gives the same bytes again, so others are found out.
  void check_last() {
    const TranslateTarget::Last& last = target_.last();
    const int64_t first = next_ - last.records;
    const bool there = input_.skip(first);
    const std::vector<InputRecord> records = input_.take(last.records);
    check_data(there && std::ssize(records) == last.records, target_.part(),
               ": has ", next_,
               " lines translated, but the input has less; was it another?");
    const auto found =
        translator_.translate(requests_of(records, first), options_);
    std::string lines;
    for (size_t i = 0; i < records.size(); ++i) {
      const int64_t number = first + static_cast<int64_t>(i);
      lines += output_lines(style_, records[i], number, found[i]);
    }
    check_data(lines == last.bytes, target_.part(),
               ": its last lines are not what this run gives; was it another "
               "model, input or format, or other flags? Remove it to begin "
               "anew");
  }

  static std::vector<TranslateRequest> requests_of(
      const std::vector<InputRecord>& records, int64_t first) {
    std::vector<TranslateRequest> requests;
    for (size_t i = 0; i < records.size(); ++i) {
      requests.push_back({records[i].text, records[i].prefix,
                          static_cast<uint64_t>(first) + i});
    }
    return requests;
  }

  void translate(const std::vector<InputRecord>& records) {
    const int64_t first = next_;
    OrderedLines lines(style_, records, first);
    const auto add = [&](size_t i, const std::vector<Translation>& found) {
      lines.add(i, found);
    };
    const auto watch = [&](double share) {
      write(lines);
      if (stop_signal() != 0) throw StoppedBySignal();
      if (!progress_) return;
      const double done = share * static_cast<double>(records.size());
      progress_->update(first + static_cast<int64_t>(done));
    };
    translator_.translate(requests_of(records, first), options_,
                          {.share = watch, .text = add});
    write(lines);
  }

  // Those that have come since it was last called, and all before them.
  void write(OrderedLines& from) {
    std::string lines;
    int64_t count = 0;
    from.take([&](const InputRecord& r, const OrderedLines::Found& found) {
      warn(r, found);
      lines += found.lines;
      ++count;
    });
    if (count == 0) return;
    target_.write(lines);
    next_ += count;
  }

  void warn(const InputRecord& record, const OrderedLines::Found& found) {
    if (found.parts > 1 && ++in_parts_ <= kMostNamed) {
      log_warning(record.place, longer_than_limit(), "; translated in ",
                  found.parts, " parts");
    }
    if (found.cut_off) {
      log_warning(record.place,
                  ": the translation had no end and was cut off; see "
                  "--max-length");
    }
  }

  void warn_of_unnamed() const {
    if (in_parts_ <= kMostNamed) return;
    log_warning(in_parts_ - kMostNamed, " more lines", longer_than_limit(),
                "; translated in parts");
  }

  std::string longer_than_limit() const {
    return join(": longer than --max-input ", translator_.max_input(options_),
                " tokens");
  }

  const StopSignals signals_;
  const OutputStyle style_;
  const Dictionary dictionary_;
  const TranslateOptions options_;
  TranslateInput input_;
  const Translator translator_;
  TranslateTarget target_;
  int64_t next_;          // line of the input
  int64_t in_parts_ = 0;  // lines of this run
  std::optional<Progress> progress_;
};

}  // namespace

Run translate(CLI::App& app) {
  auto f = std::make_shared<TranslateFlags>();
  auto config = std::make_shared<TranslateConfig>();
  declare(app, *f);
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config));
  return [=] {
    flags->resolve();
    check_flags(*f, *config, *flags);
    TranslateSession(*f, *config).run();
  };
}

}  // namespace fovea::cli
