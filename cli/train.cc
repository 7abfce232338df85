// fovea train: from text to a model.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "cli/classify_session.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/train_check.h"
#include "cli/train_config.h"
#include "cli/train_folder.h"
#include "cli/train_memory.h"
#include "cli/train_session.h"
#include "cli/train_start.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/io/text_file.h"
#include "fovea/io/yaml.h"
#include "fovea/models/classifier_presets.h"
#include "fovea/models/presets.h"
#include "fovea/train/run_folder.h"

namespace fovea::cli {
namespace {

// The search is that of validations; nothing else in training has one.
constexpr FlagAlias kAliases[] = {{"valid-beam-size", "beam-size"}};

struct TrainFlags {
  bool overwrite = false, dump_config = false, list = false;
};

void list_one(const std::string& name, const std::string& help) {
  constexpr size_t kColumn = 22;
  std::cout << "  " << name
            << std::string(name.size() < kColumn ? kColumn - name.size() : 1,
                           ' ')
            << help << "\n";
}

void list_all() {
  std::cout << "presets (--preset)\n";
  for (const Preset& p : all_presets()) list_one(p.name, p.help);
  std::cout << "presets of --task classify\n";
  for (const ClassifierPreset& p : all_classifier_presets()) {
    list_one(p.name, p.help);
  }
  std::cout << "encoders (--encode.kind)\n";
  for (const EncoderEntry& e : encoder_registry()) list_one(e.name, e.help);
  std::cout << "decoders (--predict.kind)\n";
  for (const DecoderEntry& d : decoder_registry()) list_one(d.name, d.help);
  std::cout << "pools of --task classify (--classes.pool)\n";
  for (const PoolEntry& p : pool_registry()) list_one(p.name, p.help);
  std::cout << "parts of attention (--attend.score and others): see 'fovea "
               "attend --list'\n";
}

int64_t count_lines(const std::vector<std::string>& paths) {
  int64_t lines = 0;
  for (const std::string& path : paths) {
    LineReader reader(path);
    while (reader.next()) ++lines;
  }
  return lines;
}

void check_config(const TrainConfig& c) {
  check_usage(!c.out.empty(), "--out FOLDER is missing: where the model goes");
  check_usage(!c.corpus.src.empty() && !c.corpus.tgt.empty(),
              "--src and --tgt are missing: the text to learn from");
  check_usage(c.corpus.src.size() == c.corpus.tgt.size(), "--src has ",
              c.corpus.src.size(), " files, --tgt ", c.corpus.tgt.size());
  check_usage(!c.valid_src.empty() && c.valid_src.size() == c.valid_tgt.size(),
              "--valid-src and --valid-tgt need the same number of files, one "
              "at least: sentences to judge by");
}

// Embeddings, states and lists of widths keep the preset's proportions.
void set_width(ModelConfig& m, int width) {
  const int before = m.predict.width;
  const auto scale = [=](int& w) {
    w = static_cast<int>(std::lround(static_cast<double>(w) * width / before));
  };
  for (auto* widths : {&m.encode.widths, &m.predict.widths}) {
    std::ranges::for_each(*widths, scale);
  }
  for (int* w : {&m.embed.width, &m.encode.width, &m.predict.readout,
                 &m.predict.width}) {
    scale(*w);
  }
}

// What --layers and its like mean for the parts of the model.
void apply_shortcuts(TrainConfig& c) {
  ModelConfig& m = c.model;
  if (c.layers > 0) m.encode.layers = m.predict.layers = c.layers;
  if (c.width > 0) set_width(m, c.width);
  if (c.heads > 0) m.encode.heads = m.predict.heads = m.attend.heads = c.heads;
  if (c.ffn > 0) m.encode.ffn = m.predict.ffn = c.ffn;
  if (c.dropout >= 0) {
    m.embed.dropout = m.encode.dropout = m.predict.dropout = c.dropout;
  }
}

// A model that is there brings what they would choose.
void check_start_flags(const TrainConfig& config, const ConfigFlags& flags) {
  check_usage(config.preset == "auto",
              "--start-from comes with a model: leave --preset out");
  for (const char* name : {"text-unit", "vocab-size", "joint-vocab"}) {
    check_usage(!flags.given(name),
                "--start-from comes with vocabularies: ", "leave --", name,
                " out");
  }
}

// The preset first, then what flags and file say of it.
void complete(TrainConfig& config, const ConfigFlags& flags) {
  flags.resolve();
  if (config.task == Task::kClassify) {
    check_usage(config.start_from.empty(),
                "--start-from is for models that translate");
    complete_classifier(config, flags);
    return;
  }
  check_config(config);
  SizeForData size{config.preset, 8000};
  if (config.preset == "auto" || config.text.vocab_size == 0) {
    size = size_for_data(count_lines(config.corpus.src));
  }
  const std::string name =
      config.preset == "auto" ? size.preset : config.preset;
  config.model = preset(name);
  if (!config.start_from.empty()) {
    check_start_flags(config, flags);
    start_config(config);
  }
  apply_shortcuts(config);
  const ComposedConfig before = config.model.attend;
  flags.resolve();
  if (config.model.predict.kind == "bottleneck") {
    check_attend_unchanged(before, config.model.attend,
                           "this decoder has no attention (--predict.kind)");
  }
  if (config.start_from.empty()) config.preset = name;
  if (config.text.vocab_size == 0) config.text.vocab_size = size.vocabulary;
  if (!config.joint_vocab && config.model.tie == Tie::kAll) {
    config.model.tie = Tie::kOutput;
    log_info("--no-joint-vocab: source and target words have embeddings of ",
             "their own (tie: output)");
  }
  if (config.memory != 0) limit_memory(config);
}

void run_training(TrainConfig& config, const TrainFlags& flags) {
  check_train_config(config);
  RunFolder folder(config.out, flags.overwrite);
  check_same_run(config, folder);
  if (folder.index().finished) {
    log_info(config.out, ": this run is finished: ", folder.index().reason,
             "; --overwrite starts anew");
    return;
  }
  if (config.task == Task::kClassify) {
    ClassifySession(config, folder).run();
  } else {
    TrainSession(config, folder).run();
  }
}

}  // namespace

Run train(CLI::App& app) {
  auto config = std::make_shared<TrainConfig>();
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config), kAliases);
  auto more = std::make_shared<TrainFlags>();
  app.add_flag("--overwrite", more->overwrite,
               "remove an earlier run in the folder and start anew");
  app.add_flag("--dump-config", more->dump_config,
               "print the complete configuration as YAML and exit");
  app.add_flag("--list", more->list, "list presets and parts and exit");
  return [=] {
    if (more->list) {
      list_all();
      return;
    }
    complete(*config, *flags);
    if (more->dump_config) {
      std::cout << write_yaml(fields_of(*config));
      return;
    }
    run_training(*config, *more);
  };
}

}  // namespace fovea::cli
