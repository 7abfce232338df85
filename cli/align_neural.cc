#include "cli/align_neural.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/align_statistical.h"
#include "cli/gold_links.h"
#include "cli/pair_reader.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/progress.h"
#include "fovea/base/words.h"
#include "fovea/decode/forced_attention.h"
#include "fovea/models/box.h"

namespace fovea::cli {
namespace {

// Without gold links: attention is compared on so many pairs with an aligner
// that has learned from so many. With fewer than the least it knows too little.
constexpr int64_t kLeastPairs = 100, kJudgedPairs = 300;
constexpr int64_t kLearnedPairs = 50000;
constexpr size_t kLongestJudged = 500;  // bytes of a text

ScoreRequest turned(const ScoreRequest& pair) {
  return {pair.target, pair.source};
}

std::vector<ScoreRequest> turned(std::span<const ScoreRequest> pairs) {
  std::vector<ScoreRequest> all;
  for (const ScoreRequest& pair : pairs) all.push_back(turned(pair));
  return all;
}

std::vector<WordLinks> turned(std::span<const WordLinks> links) {
  std::vector<WordLinks> all;
  for (const WordLinks& some : links) {
    all.push_back(swapped(some));
    std::sort(all.back().begin(), all.back().end());
  }
  return all;
}

// Pairs with links by which attention is chosen.
struct Judge {
  std::vector<ScoreRequest> pairs;
  GoldLinks gold;
};

Judge dev_judge(const AlignConfig& config) {
  std::vector<ScoreRequest> pairs;
  PairReader reader({config.dev_src, config.dev_tgt});
  while (auto pair = reader.next()) pairs.push_back(std::move(*pair));
  check_data(!pairs.empty(), config.dev_src, ": there are no lines");
  std::vector<PairLengths> lengths;
  for (const ScoreRequest& pair : pairs) lengths.push_back(lengths_of(pair));
  GoldLinks gold = GoldLinks::read(config.dev_gold, lengths, config.gold_first);
  return {std::move(pairs), std::move(gold)};
}

bool can_judge(const ScoreRequest& pair) {
  const auto fits = [](const std::string& text) {
    return text.size() <= kLongestJudged && !is_blank(text);
  };
  return fits(pair.source) && fits(pair.target);
}

// Pairs from all over the text, with the links of the statistical aligner.
std::optional<Judge> statistical_judge(const AlignConfig& config,
                                       std::span<const ScoreRequest> pairs) {
  std::vector<int64_t> good;
  for (int64_t i = 0; i < std::ssize(pairs); ++i) {
    if (can_judge(pairs[i])) good.push_back(i);
  }
  const int64_t count = std::min(kJudgedPairs, std::ssize(good));
  std::vector<ScoreRequest> some;
  AlignText text;
  for (int64_t i = 0; i < count; ++i) {
    some.push_back(pairs[good[i * std::ssize(good) / count]]);
    text.add(some.back());
  }
  const int64_t stride = std::max<int64_t>(1, std::ssize(good) / kLearnedPairs);
  for (int64_t i = 0; i < std::ssize(good); i += stride) {
    text.add(pairs[good[i]]);
  }
  text.add_more(config);
  if (count == 0 || text.source.size() - count < kLeastPairs) return {};
  AlignConfig both = config;
  both.statistical.how = Symmetry::kGrowDiagFinalAnd;
  log_info("choosing layer and heads: aligning ", text.source.size(),
           " pairs statistically");
  return Judge{std::move(some),
               GoldLinks(statistical_links(both, text, count))};
}

std::string layer_name(const std::string& text, const Seq2Seq& model) {
  const std::vector<CrossAttention> all = cross_attentions(model);
  const int count = static_cast<int>(all.size());
  int number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  check_usage(error == std::errc() && end == last, "--layer ", text,
              ": give a number, or auto");
  check_usage(number >= -count && number < count, "--layer ", text,
              ": this model has ", count, " layers with attention");
  return all[number < 0 ? number + count : number].layer;
}

AttentionLinksConfig links_config(const AlignConfig& config) {
  return {.threshold = config.threshold, .batch = {.size = config.batch_size}};
}

// One direction: its model and its flags.
struct Direction {
  const AlignConfig& config;
  const TranslationModel& model;
  const std::optional<Judge>& judge;
  bool turned;
};

AttentionChoice chosen(const Direction& d) {
  const AlignConfig& config = d.config;
  const int shift = config.shift == Shift::kNext ? 1 : 0;
  if (config.layer != "auto") {
    return {layer_name(config.layer, *d.model.model), config.heads, shift};
  }
  if (!d.judge) {
    log_info("too few pairs to choose layer and heads by");
    return {d.model.model->alignment_layer(), {}, shift};
  }
  const std::vector<ScoreRequest> pairs =
      d.turned ? turned(d.judge->pairs) : d.judge->pairs;
  ChooseAttentionConfig choose{.links = links_config(config)};
  if (config.shift != Shift::kAuto) choose.shift = shift;
  const auto error = [&](std::span<const WordLinks> links) {
    const GoldLinks& gold = d.judge->gold;
    return gold
        .judge(d.turned ? turned(links)
                        : std::vector(links.begin(), links.end()))
        .error;
  };
  const auto judged = choose_attention(d.model, pairs, error, choose);
  for (const JudgedAttention& one : judged) {
    log_debug("AER ", fixed_digits(one.error, 2), " ", choice_text(one.choice));
  }
  return judged.front().choice;
}

std::vector<WordLinks> direction_links(const Direction& d,
                                       std::span<const ScoreRequest> pairs) {
  check_usage(d.model.model->has_attention(),
              "this model has no attention, so it cannot align words");
  const AttentionChoice choice = chosen(d);
  log_info(d.turned ? "reverse model: " : "model: ", choice_text(choice));
  std::optional<Progress> progress;
  if (log_level() <= LogLevel::kInfo) {
    ProgressOptions shown = ProgressOptions::standard_error();
    shown.unit = "pairs";
    progress.emplace("align", std::ssize(pairs), std::move(shown));
  }
  return attention_links(d.model, pairs, choice, links_config(d.config),
                         [&](int64_t done) {
                           if (progress) progress->update(done);
                         });
}

}  // namespace

void check_model_flags(const AlignConfig& config) {
  check_usage(!config.model.empty() || config.reverse_model.empty(),
              "--reverse-model goes with --model");
  check_usage(!config.model.empty() ||
                  (config.dev_gold.empty() && config.layer == "auto" &&
                   config.threshold == 0 && config.shift == Shift::kAuto &&
                   config.precision == Precision::kFloat32),
              "--dev-gold, --layer, --threshold, --shift and --precision go "
              "with --model");
  check_usage(config.model.empty() || !config.reverse_model.empty() ||
                  config.statistical.how == AlignConfig().statistical.how ||
                  config.statistical.how == Symmetry::kForward,
              "--symmetrise joins two directions: it wants --reverse-model");
  check_usage(config.dev_gold.empty() == config.dev_src.empty() &&
                  config.dev_gold.empty() == config.dev_tgt.empty(),
              "--dev-src, --dev-tgt and --dev-gold go together");
  check_usage(config.heads.empty() || config.layer != "auto",
              "--heads are those of a --layer; name it");
  check_usage(config.threshold >= 0 && config.threshold <= 1, "--threshold ",
              config.threshold, ": give a number from 0 to 1");
}

std::vector<WordLinks> neural_links(const AlignConfig& config,
                                    std::span<const ScoreRequest> pairs) {
  const TranslationModel model =
      load_translation_model(model_files(config.model), config.precision);
  std::optional<Judge> judge;
  if (config.layer == "auto") {
    judge = config.dev_gold.empty() ? statistical_judge(config, pairs)
                                    : dev_judge(config);
  }
  std::vector<WordLinks> forward =
      direction_links({config, model, judge, false}, pairs);
  if (config.reverse_model.empty()) return forward;
  const TranslationModel reverse = load_translation_model(
      model_files(config.reverse_model), config.precision);
  const std::vector<WordLinks> backward =
      turned(direction_links({config, reverse, judge, true}, turned(pairs)));
  for (size_t i = 0; i < forward.size(); ++i) {
    forward[i] = symmetrise(forward[i], backward[i], config.statistical.how);
  }
  return forward;
}

}  // namespace fovea::cli
