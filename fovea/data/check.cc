#include "fovea/data/check.h"

#include <set>

#include "fovea/base/check.h"
#include "fovea/data/check_state.h"
#include "fovea/data/labelled.h"
#include "fovea/io/text_file.h"

namespace fovea {
namespace {

void check_paths(const CheckConfig& c) {
  const auto pairs = [](const char* name, const auto& src, const auto& tgt) {
    check_usage(src.size() == tgt.size(), name, ": ", src.size(),
                " source files but ", tgt.size(), " target files");
  };
  pairs("training", c.src, c.tgt);
  pairs("validation", c.valid_src, c.valid_tgt);
  pairs("test", c.test_src, c.test_tgt);
  check_usage(c.alignments.empty() || c.alignments.size() == c.src.size(),
              "guided alignment: ", c.alignments.size(), " files for ",
              c.src.size(), " corpora");
  check_usage(c.max_length >= 1, "max_length ", c.max_length,
              ": give at least 1");
  check_usage(c.max_ratio >= 1, "--max-ratio ", c.max_ratio,
              ": give at least 1");
}

// Labels that only held-out text has: no model can learn them.
void check_unknown_labels(CheckState& state,
                          const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    LineReader reader(path);
    std::set<std::string, std::less<>> told;
    while (const auto text = reader.next()) {
      const auto line = read_labelled(*text);
      if (!line || state.labels().contains(line->label)) continue;
      if (!told.emplace(line->label).second) continue;
      state.defects().add(
          DefectCode::kUnknownLabel, path, reader.number(),
          join("no training line has the label '", line->label, "'"));
    }
  }
}

// Validation judges by what is left, so that nothing would mean nothing.
void check_left(CheckState& state, const std::vector<std::string>& paths,
                int64_t usable) {
  if (paths.empty() || usable > 0) return;
  state.defects().add(DefectCode::kNothingLeft, paths.front(), 1,
                      "no line of the validation text can be judged by");
}

void check_held_out(CheckState& state, const CheckConfig& config) {
  int64_t usable = 0;
  for (size_t p = 0; p < config.valid_src.size(); ++p) {
    usable +=
        check_pairs(state, {config.valid_src[p], config.valid_tgt[p]}, false);
  }
  check_left(state, config.valid_src, usable);
  for (size_t p = 0; p < config.test_src.size(); ++p) {
    check_pairs(state, {config.test_src[p], config.test_tgt[p]}, false);
  }
  state.report().held_out = state.report().counts;
  usable = 0;
  for (const std::string& path : config.valid) {
    usable += check_labelled(state, path, false);
  }
  check_left(state, config.valid, usable);
  for (const std::string& path : config.test) {
    check_labelled(state, path, false);
  }
}

}  // namespace

CheckReport check_corpus(const CheckConfig& config) {
  check_paths(config);
  CheckState state(config);
  check_held_out(state, config);
  for (size_t p = 0; p < config.src.size(); ++p) {
    const bool linked = !config.alignments.empty();
    check_pairs(state,
                {config.src[p], config.tgt[p],
                 linked ? config.alignments[p] : std::string()},
                true);
  }
  for (const std::string& path : config.train)
    check_labelled(state, path, true);
  if (!config.train.empty()) {
    check_unknown_labels(state, config.valid);
    check_unknown_labels(state, config.test);
  }
  state.finish();
  return std::move(state.report());
}

}  // namespace fovea
