// Labelled lines: a label, a text, and labels that training knows.
#include "fovea/base/check.h"
#include "fovea/base/rng.h"
#include "fovea/base/unicode.h"
#include "fovea/data/check_state.h"
#include "fovea/data/hash.h"
#include "fovea/data/labelled.h"
#include "fovea/data/word_ranges.h"
#include "fovea/io/text_file.h"

namespace fovea {
namespace {

// The hash of the text without blanks at its ends, or 0 if there is none.
uint64_t hash_of(std::string_view text) {
  const auto words = word_ranges(text);
  if (words.empty()) return 0;
  const int begin = words.front().first;
  return text_hash(text.substr(begin, words.back().second - begin));
}

}  // namespace

int64_t check_labelled(CheckState& state, const std::string& path,
                       bool training) {
  LineReader reader(path);
  FileFacts file{.path = path};
  DefectList& defects = state.defects();
  if (training) state.begin_part(path);
  int64_t full = 0;
  while (const auto text = reader.next()) {
    const int64_t number = reader.number();
    const LineFacts facts = check_line({&file, number, *text}, defects);
    const auto line = read_labelled(*text);
    const uint64_t hash = line ? hash_of(line->text) : 0;
    if (!line) {
      defects.add(DefectCode::kBadLabel, path, number,
                  "neither label, tab, text nor __label__NAME text");
    } else if (hash == 0) {
      defects.add(DefectCode::kEmptySide, path, number, "the text is empty");
    } else if (line->labels > 1) {
      defects.add(
          DefectCode::kMoreLabels, path, number,
          join(line->labels, " labels, of which '", line->label, "' is used"));
    }
    full += hash != 0;
    if (training) {
      hash == 0 ? state.skip() : state.learn(hash, facts.hash);
    } else if (hash != 0) {
      state.hold_out(hash, path, number);
    }
    if (line && training) state.labels().emplace(line->label);
  }
  state.report().files.push_back(file);
  return full;
}

}  // namespace fovea
