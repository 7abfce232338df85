// Pairs of sentences: both sides there, of like length, with links that fit.
#include <algorithm>
#include <optional>

#include "fovea/base/check.h"
#include "fovea/base/rng.h"
#include "fovea/data/check_state.h"
#include "fovea/data/pharaoh.h"
#include "fovea/io/text_file.h"

namespace fovea {
namespace {

constexpr int64_t kShortText = 20;  // bytes; below, any ratio may be right

// One file, its next line and what there is to say of it.
struct Side {
  LineReader reader;
  FileFacts file;
  const char* name;
  std::optional<std::string_view> line = {};
  LineFacts facts = {};

  Side(const std::string& path, const char* side_name)
      : reader(path), file{.path = path}, name(side_name) {}

  bool next(DefectList& defects) {
    line = reader.next();
    if (line) facts = check_line({&file, reader.number(), *line}, defects);
    return line.has_value();
  }
};

// True if the pair can be learnt from.
bool check_pair(CheckState& state, const Side& source, const Side& target) {
  const int64_t number = source.reader.number();
  bool good = true;
  for (const Side* side : {&source, &target}) {
    if (side->facts.bytes == 0) {
      state.defects().add(DefectCode::kEmptySide, side->file.path, number,
                          join("the ", side->name, " is empty"));
      good = false;
    }
    if (side->facts.length > state.config().max_length) {
      state.defects().add(
          DefectCode::kTooLong, side->file.path, number,
          join(side->facts.words, " words, ", side->facts.bytes,
               " bytes; max-length is ", state.config().max_length));
      good = false;
    }
  }
  if (!good) return false;
  const auto [shorter, longer] =
      std::minmax(source.facts.bytes, target.facts.bytes);
  if (longer >= kShortText &&
      static_cast<float>(longer) >
          state.config().max_ratio * static_cast<float>(shorter)) {
    state.defects().add(DefectCode::kLengthRatio, source.file.path, number,
                        join(source.facts.bytes, " bytes against ",
                             target.facts.bytes, " of the target"));
    return false;
  }
  return true;
}

void check_links(CheckState& state, const Side& source, const Side& target,
                 LineReader& reader, const std::string& path) {
  const auto line = reader.next();
  if (!line) return;
  const auto links = read_pharaoh(*line);
  if (!links) {
    state.defects().add(DefectCode::kBadLink, path, reader.number(),
                        "this is no list of links such as 0-0 1-2");
    return;
  }
  for (const auto& [s, t] : *links) {
    if (s < source.facts.words && t < target.facts.words) continue;
    state.defects().add(
        DefectCode::kBadLink, path, reader.number(),
        join("link ", s, "-", t, " in a pair of ", source.facts.words, " and ",
             target.facts.words, " words"));
  }
}

void compare_counts(CheckState& state, const FileFacts& a, const FileFacts& b) {
  if (a.lines == b.lines) return;
  const auto& [few, many] = a.lines < b.lines ? std::tie(a, b) : std::tie(b, a);
  state.defects().add(
      DefectCode::kLineCount, few.path, few.lines + 1,
      join(few.lines, " lines here but ", many.lines, " in ", many.path));
}

}  // namespace

int64_t check_pairs(CheckState& state, const PairPaths& paths, bool training) {
  Side source(paths.source, "source"), target(paths.target, "target");
  std::optional<LineReader> links;
  if (!paths.links.empty()) links.emplace(paths.links);
  if (training) state.begin_part(paths.source);
  int64_t full = 0;
  while (true) {
    const bool more_source = source.next(state.defects());
    const bool more_target = target.next(state.defects());
    if (!more_source && !more_target) break;
    if (!more_source || !more_target) continue;  // the counts will tell
    const bool good = check_pair(state, source, target);
    full += source.facts.bytes > 0 && target.facts.bytes > 0;
    if (links) check_links(state, source, target, *links, paths.links);
    if (!training) {
      state.hold_out(source.facts.hash, paths.source, source.reader.number());
    } else if (good) {
      state.learn(source.facts.hash,
                  RandomKey(source.facts.hash).with(target.facts.hash).bits());
    } else {
      state.skip();
    }
  }
  compare_counts(state, source.file, target.file);
  state.report().files.push_back(source.file);
  state.report().files.push_back(target.file);
  if (links) {
    while (links->next()) continue;
    compare_counts(state, source.file,
                   {.path = paths.links, .lines = links->number()});
  }
  return full;
}

}  // namespace fovea
