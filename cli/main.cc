// The command fovea: finds the command that is asked for, runs it, and turns
// whatever goes wrong into one line and an exit code.
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/help_format.h"
#include "cli/standard_output.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/nearest.h"
#include "fovea/base/parallel.h"
#include "fovea/base/stop.h"
#include "fovea/base/version.h"
#include "fovea/kernels/target.h"

namespace fovea::cli {
namespace {

struct Entry {
  const char* name;
  const char* summary;
  Run (*declare)(CLI::App& app);
};

// All commands there are.
constexpr Entry kCommands[] = {
    {"align", "link the words of translations to those of their source", align},
    {"attend", "try attention mechanisms on small examples", attend},
    {"average", "write the mean of models or checkpoints", average},
    {"check-data", "look for defects in text to learn from", check_data_files},
    {"demo", "translate with the model in the box, with maps", demo},
    {"evaluate", "score outputs: BLEU, chrF, TER, error rates and others",
     evaluate},
    {"explain", "show a model's attention, and test what it explains", explain},
    {"info", "show version, CPU, threads, libraries and memory", info},
    {"make-data", "write texts of made-up tasks to train on", make_data},
    {"predict", "label lines with a trained classifier", predict},
    {"quantize", "write a model with weights in 8 bits", quantize},
    {"score", "say how probable given translations are", score},
    {"serve", "answer requests over HTTP, with a page to look at attention",
     serve},
    {"shortlist", "learn which words a translation may have", shortlist},
    {"spell", "watch a small model learn to spell backwards", spell},
    {"train", "train a model on your text", train},
    {"translate", "translate lines with a trained model", translate},
};

// Other names, which other tools have for them.
struct Alias {
  std::string_view of, name;
};
constexpr Alias kAliases[] = {{"translate", "decode"},
                              {"translate", "generate"}};

// Names that other tools have for flags, for hints.
constexpr Alias kFlagAliases[] = {{"--early-stopping", "--patience"},
                                  {"--max-epochs", "--epochs"},
                                  {"--max-epochs", "--num-epochs"},
                                  {"--lr", "--learning-rate"},
                                  {"--max-steps", "--steps"},
                                  {"--lr-warmup", "--warmup"},
                                  {"--lr-warmup", "--warmup-steps"},
                                  {"--batch-tokens", "--batch-size"},
                                  {"--beam-size", "--beam"},
                                  {"--out", "--output"},
                                  {"--out", "--save-dir"}};

constexpr int kMostThreads = 1024;

struct GlobalFlags {
  std::optional<int> threads;  // none: what OpenMP finds
  std::string target;          // empty: the best one
  bool quiet = false, verbose = false;
};

void declare(CLI::App& app, GlobalFlags& flags) {
  app.formatter(help_format());
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.set_help_flag("-h,--help", "print this help and exit");
  app.set_version_flag("--version", "fovea " + version(),
                       "print the version and exit");
  app.add_option("--threads", flags.threads, "threads to use at most")
      ->type_name("N");
  app.add_option("--target", flags.target,
                 "CPU instructions for our own kernels, as\n"
                 "'fovea info' names them (default: the best)")
      ->type_name("NAME")
      ->envname("FOVEA_TARGET");
  app.add_flag("-q,--quiet", flags.quiet, "show warnings and errors only");
  app.add_flag("-v,--verbose", flags.verbose, "show more of what happens");
}

// Set after the commands are made: they would inherit it.
void add_footer(CLI::App& app) {
  app.footer(
      "Run 'fovea COMMAND --help' for the flags of a command. Exit codes: 0 "
      "done,\n1 failure, 2 wrong usage, 3 bad data, 4 out of memory or disk, "
      "130 or 143 stopped.");
}

void apply(const GlobalFlags& flags) {
  check_usage(!flags.quiet || !flags.verbose,
              "--quiet and --verbose exclude each other");
  if (flags.quiet) set_log_level(LogLevel::kWarning);
  if (flags.verbose) set_log_level(LogLevel::kDebug);
  if (flags.threads) {
    check_usage(*flags.threads >= 1 && *flags.threads <= kMostThreads,
                "--threads ", *flags.threads, ": give a number from 1 to ",
                kMostThreads);
    set_thread_limit(*flags.threads);
  }
  if (!flags.target.empty()) {
    std::string names;
    bool known = false;
    for (const std::string& name : kernels::supported_targets()) {
      names += (names.empty() ? "" : ", ") + name;
      known = known || name == flags.target;
    }
    check_usage(known, "target '", flags.target, "' is not one of ", names,
                "; mend --target or FOVEA_TARGET");
    kernels::use_target(flags.target);
  }
}

// The flag of the command that other tools call so, or an empty text.
std::string meant_flag(const std::string& flag,
                       const std::vector<std::string>& known) {
  const std::string name = flag.substr(0, flag.find('='));
  for (const Alias& alias : kFlagAliases) {
    const std::string meant(alias.of);
    if (alias.name == name &&
        std::find(known.begin(), known.end(), meant) != known.end()) {
      return meant;
    }
  }
  return "";
}

// What CLI11 did not understand, said so that it can be mended.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* asked = &app;
  for (const CLI::App* command : app.get_subcommands()) asked = command;
  const std::vector<std::string> left = app.remaining(true);
  const std::string name =
      asked == &app ? "fovea" : "fovea " + asked->get_name();
  if (left.empty()) return join(error.what(), "; see '", name, " --help'");

  std::vector<std::string> known;
  const bool flag = left.front().starts_with("-");
  if (flag) {
    for (const CLI::Option* option : asked->get_options()) {
      for (const std::string& n : option->get_lnames())
        known.push_back("--" + n);
    }
  } else if (asked == &app) {
    for (const Entry& entry : kCommands) known.push_back(entry.name);
  }
  const char* what = flag            ? "unknown flag '"
                     : asked == &app ? "unknown command '"
                                     : "unexpected argument '";
  const std::string meant = meant_flag(left.front(), known);
  return join(what, left.front(), "'",
              meant.empty() ? did_you_mean(left.front(), known)
                            : join(" (did you mean '", meant, "'?)"),
              "; see '", name, " --help'");
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kRun:
      return 1;
    case ErrorKind::kUsage:
      return 2;
    case ErrorKind::kData:
      return 3;
    case ErrorKind::kResource:
      return 4;
  }
  return 1;
}

int complain(const std::string& message, int code) {
  std::cerr << "fovea: " << message << "\n";
  return code;
}

// Runs the command line and returns normally, or throws.
int run(int argc, char** argv) {
  CLI::App app("Attention models in native C++ on ordinary CPUs.", "fovea");
  GlobalFlags flags;
  declare(app, flags);
  Run chosen;
  for (const Entry& entry : kCommands) {
    CLI::App* command = app.add_subcommand(entry.name, entry.summary);
    command->group("Commands");
    for (const Alias& alias : kAliases) {
      if (alias.of == entry.name) command->alias(std::string(alias.name));
    }
    command->fallthrough();  // --threads may stand after the command
    Run run_it = entry.declare(*command);
    command->parse_complete_callback([&chosen, run_it] { chosen = run_it; });
  }
  add_footer(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version arrive as exceptions, too.
    if (error.get_exit_code() == 0) return app.exit(error);
    return complain(complaint(app, error), exit_code(ErrorKind::kUsage));
  }
  if (!chosen) {
    std::cerr << app.help();
    return exit_code(ErrorKind::kUsage);
  }
  flush_denormals();
  apply(flags);
  chosen();
  const int signal = stop_signal();
  return signal == 0 ? 0 : 128 + signal;
}

}  // namespace
}  // namespace fovea::cli

int main(int argc, char** argv) {
  using fovea::cli::complain;
  try {
    const fovea::cli::StandardOutput output;
    const int code = fovea::cli::run(argc, argv);
    std::cout.flush();
    return code;
  } catch (const fovea::Error& error) {
    return complain(error.what(), fovea::cli::exit_code(error.kind()));
  } catch (const std::bad_alloc&) {
    return complain("out of memory; use smaller batches or a smaller model", 4);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}
