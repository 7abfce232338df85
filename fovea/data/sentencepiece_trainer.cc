// Learns subwords with SentencePiece.
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/unicode.h"
#include "fovea/data/line_sample.h"
#include "fovea/data/sentencepiece.h"

namespace fovea {
namespace {

namespace sp = sentencepiece;

// The trainer keeps these characters for itself.
constexpr std::string_view kReserved[] = {kSpaceMark, std::string_view("\0", 1),
                                          "\t", "\n", "\xe2\x96\x85"};

// Unlike the number of our threads it decides the result: never change it.
constexpr const char* kTrainerThreads = "4";

class Lines : public sp::SentenceIterator {
 public:
  explicit Lines(std::vector<std::string> lines) : lines_(std::move(lines)) {}
  bool done() const override { return next_ == lines_.size(); }
  void Next() override { ++next_; }
  const std::string& value() const override { return lines_[next_]; }
  sp::util::Status status() const override { return {}; }

 private:
  std::vector<std::string> lines_;
  size_t next_ = 0;
};

// The characters that become tokens: enough to cover the text, but no more than
// three quarters of the vocabulary.
std::unordered_set<std::string> alphabet_of(
    const TokenizerConfig& config, const std::vector<std::string>& lines) {
  const int first = Vocabulary::kFirstByte + (config.byte_fallback ? 256 : 0);
  check_usage(config.vocab_size >= first + 8, "vocab_size ", config.vocab_size,
              ": give at least ", first + 8,
              config.byte_fallback ? ", of which 256 are bytes" : "");
  const std::vector<CharacterCount> counts = count_characters(lines);
  const size_t wanted = covering(counts, config.coverage);
  const size_t room = (config.vocab_size - first) / 4 * 3;
  if (wanted > room) {
    log_warning("a vocabulary of ", config.vocab_size, " has room for ", room,
                " of ", wanted, " characters; the others are ",
                config.byte_fallback ? "written as bytes" : "unknown");
  }
  std::unordered_set<std::string> alphabet;
  for (size_t i = 0; i < std::min(wanted, room); ++i) {
    alphabet.insert(counts[i].character);
  }
  alphabet.insert(" ");
  for (const std::string_view reserved : kReserved) {
    alphabet.erase(std::string(reserved));
  }
  return alphabet;
}

// The lines as SentencePiece will see them: a space in front, cut where a
// character is no token.
std::vector<std::string> training_parts(
    const std::vector<std::string>& lines,
    const std::unordered_set<std::string>& alphabet) {
  std::vector<std::string> parts;
  for (const std::string& line : lines) {
    std::string part = " ";
    for (std::string_view rest = line; !rest.empty();) {
      const std::string character(rest.substr(0, code_point_bytes(rest)));
      rest.remove_prefix(character.size());
      if (alphabet.contains(character)) {
        part += character;
      } else if (!part.empty()) {
        parts.push_back(std::move(part));
        part.clear();
      }
    }
    if (!part.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

TextModelPtr train_sentencepiece(const TokenizerConfig& config,
                                 const std::vector<std::string>& lines) {
  const std::string unit = FieldText<TextUnit>::print(config.unit);
  Lines parts(training_parts(lines, alphabet_of(config, lines)));
  std::string model;
  const auto status = sp::SentencePieceTrainer::Train(
      std::unordered_map<std::string, std::string>{
          {"minloglevel", "3"},
          {"model_type", unit},
          {"vocab_size", std::to_string(config.vocab_size)},
          {"byte_fallback", config.byte_fallback ? "true" : "false"},
          {"character_coverage", "1.0"},
          {"normalization_rule_name", "identity"},
          {"remove_extra_whitespaces", "false"},
          {"add_dummy_prefix", "false"},
          {"hard_vocab_limit", "false"},
          {"num_threads", kTrainerThreads},
      },
      &parts, &model);
  check_data(status.ok(),
             "no vocabulary can be learnt from this text: ", status.message());
  return read_sentencepiece(unit, model, "tokenizer");
}

}  // namespace fovea
