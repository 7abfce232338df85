// fovea translate: lines in, lines out.
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/model_flags.h"
#include "cli/translate_input.h"
#include "cli/translate_output.h"
#include "cli/translate_target.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/progress.h"
#include "fovea/base/stop.h"
#include "fovea/base/terminal.h"
#include "fovea/data/line_file.h"

namespace fovea::cli {
namespace {

struct TranslateFlags {
  ModelFlags models;
  std::string input = "-";
  std::string output;
  bool resume = false, json = false;
  std::vector<int> heads;
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
  app.add_option("--alignment-head", f.heads,
                 "heads whose attention is the alignment, with commas\n"
                 "(default: the mean of all)")
      ->type_name("NUMBERS")
      ->delimiter(',')
      ->allow_extra_args(false);
}

Dictionary read_dictionary(const std::string& path) {
  Dictionary words;
  if (path.empty()) return words;
  LineReader reader(path);
  while (const auto line = reader.next()) {
    const size_t tab = line->find('\t');
    check_data(tab != std::string_view::npos && tab > 0, reader.place(),
               ": a line is source word, tab, target word");
    words.emplace(line->substr(0, tab), line->substr(tab + 1));
  }
  return words;
}

// Thrown by what watches a batch; what is finished is written already.
struct StoppedBySignal {};

// The lines of a plain file; none if it cannot be told without reading it away.
std::optional<int64_t> lines_of(const std::string& path) {
  struct stat about {};
  if (path == "-" || ::stat(path.c_str(), &about) != 0 ||
      !S_ISREG(about.st_mode)) {
    return {};
  }
  return LineFile(path).lines();
}

class TranslateSession {
 public:
  TranslateSession(const TranslateFlags& f, const TranslateConfig& config)
      : style_(OutputStyle::of(config)),
        dictionary_(read_dictionary(config.unk_dictionary)),
        options_(options_of(config, f)),
        input_(f.input, config),
        translator_(Translator::load(f.models.folders(), config.precision)),
        target_({f.output, f.resume,
                 style_.n_best && style_.format == LineFormat::kText}),
        next_(target_.done()) {
    check_data(input_.skip(next_), target_.part(), ": has ", next_,
               " lines translated, but the input has less; was it another?");
    // A terminal that shows the translations shows how far it is.
    if (log_level() > LogLevel::kInfo) return;
    if (f.output.empty() && stdout_is_terminal()) return;
    const auto total = lines_of(f.input);
    if (!total) return;
    ProgressOptions shown = ProgressOptions::standard_error();
    shown.unit = "lines";
    progress_.emplace("translate", *total - next_, std::move(shown));
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
    if (stop_signal() == 0) return target_.finish();
    if (target_.part().empty()) return;
    log_info("stopped; ", target_.part(), " has ", next_,
             " lines, --resume goes on with it");
  }

 private:
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

  void translate(const std::vector<InputRecord>& records) {
    std::vector<TranslateRequest> requests;
    for (size_t i = 0; i < records.size(); ++i) {
      requests.push_back({records[i].text, records[i].prefix,
                          static_cast<uint64_t>(next_) + i});
    }
    const auto watch = [&](double share) {
      if (stop_signal() != 0) throw StoppedBySignal();
      if (!progress_) return;
      const double lines = share * static_cast<double>(records.size());
      progress_->update(next_ - target_.done() + static_cast<int64_t>(lines));
    };
    const auto found = translator_.translate(requests, options_, watch);
    std::string lines;
    for (size_t i = 0; i < records.size(); ++i) {
      warn(records[i], found[i].front());
      const int64_t number = next_ + static_cast<int64_t>(i);
      lines += output_lines(style_, records[i], number, found[i]);
    }
    target_.write(lines);
    next_ += std::ssize(records);
  }

  void warn(const InputRecord& record, const Translation& t) const {
    std::string what;
    if (t.parts.size() > 1) {
      what = join(": longer than --max-input ", options_.max_input,
                  " tokens; translated in ", t.parts.size(), " parts");
    }
    if (t.cut_off) {
      what += join(what.empty() ? ": " : ", and ",
                   "the translation had no end and was cut off; see "
                   "--max-length");
    }
    if (!what.empty()) log_warning(record.place, what);
  }

  const StopSignals signals_;
  const OutputStyle style_;
  const Dictionary dictionary_;
  const TranslateOptions options_;
  TranslateInput input_;
  const Translator translator_;
  TranslateTarget target_;
  int64_t next_;  // line of the input
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
    if (f->json) config->input_format = config->format = LineFormat::kJson;
    check_usage(!f->resume || !f->output.empty(),
                "--resume goes on with a file; name it with -o");
    TranslateSession(*f, *config).run();
  };
}

}  // namespace fovea::cli
