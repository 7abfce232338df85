#include "fovea/serve/translation_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"

namespace fovea {
namespace {

// Turns bytes of a text into characters. Ascending bytes take one walk over it.
class CharacterCount {
 public:
  explicit CharacterCount(std::string_view text) : text_(text) {}

  size_t at(int byte) {
    if (byte < byte_) byte_ = 0, character_ = 0;
    character_ += code_points(text_.substr(byte_, byte - byte_)).size();
    byte_ = byte;
    return character_;
  }

 private:
  const std::string_view text_;
  int byte_ = 0;
  size_t character_ = 0;
};

Json words_json(std::string_view text, const std::vector<TextRange>& words) {
  Json all = Json::array();
  CharacterCount characters(text);
  for (const TextRange& word : words) {
    const size_t begin = characters.at(word.begin);
    all.push_back({{"word", word.of(text)},
                   {"begin", begin},
                   {"end", characters.at(word.end)}});
  }
  return all;
}

Json number_row(std::span<const float> values) {
  Json row = Json::array();
  for (float value : values) row.push_back(rounded(value));
  return row;
}

// Tokens of all parts with their characters, each part's end mark behind them.
Json all_pieces(const Tokenizer& tokenizer, std::string_view text,
                const std::vector<TranslatedPart>& parts, bool of_source) {
  Json all = Json::array();
  for (size_t p = 0; p < parts.size(); ++p) {
    const std::vector<Piece>& pieces =
        of_source ? parts[p].source : parts[p].target;
    for (Json& piece : pieces_json(tokenizer, text, pieces)) {
      all.push_back(std::move(piece));
    }
    const bool has_end =
        of_source || parts[p].log_probabilities.size() > pieces.size();
    if (!has_end) continue;
    const int end = pieces.empty() ? 0 : pieces.back().end;
    const Piece mark{tokenizer.end(), end, end};
    all.push_back(std::move(pieces_json(tokenizer, text, {&mark, 1}).front()));
  }
  return all;
}

// A row for each target token over the source tokens of all parts.
Json all_weights(const std::vector<TranslatedPart>& parts) {
  size_t columns = 0, before = 0;
  for (const TranslatedPart& part : parts) columns += part.keys();
  Json rows = Json::array();
  for (const TranslatedPart& part : parts) {
    const size_t keys = part.keys();
    for (size_t at = 0; at + keys <= part.weights.size(); at += keys) {
      std::vector<float> row(columns);
      std::copy_n(part.weights.begin() + static_cast<int64_t>(at), keys,
                  row.begin() + static_cast<int64_t>(before));
      rows.push_back(number_row(row));
    }
    before += keys;
  }
  return rows;
}

Json alignment_json(const TranslationStyle& style, const std::string& source,
                    const Translation& t, const Tokenizers& tokenizers) {
  const bool known = std::ranges::none_of(
      t.parts, [](const TranslatedPart& p) { return p.weights.empty(); });
  if (!known) return nullptr;  // the model has no attention
  if (style.alignment == AlignmentKind::kTokenWeights) {
    return {{"source", all_pieces(tokenizers.source, source, t.parts, true)},
            {"target", all_pieces(tokenizers.target, t.text, t.parts, false)},
            {"weights", all_weights(t.parts)}};
  }
  const WordAlignment words = align_words(source, t);
  if (style.alignment == AlignmentKind::kSoft) {
    return word_weights_json(words, source, t.text);
  }
  return word_links_json(words,
                         style.threshold > 0
                             ? links_from(words, style.threshold)
                             : strongest_links(words),
                         source, t.text);
}

Json one_json(const TranslationStyle& style, const std::string& source,
              const Translation& t, const Tokenizers& tokenizers) {
  Json object = {{"translation", t.text},
                 {"score", rounded(t.score)},
                 {"log_probability", rounded(t.log_probability)},
                 {"cut_off", t.cut_off}};
  add_details(object, style, source, t, tokenizers);
  return object;
}

}  // namespace

AlignmentKind alignment_kind(const std::string& name) {
  if (name == "words") return AlignmentKind::kWords;
  if (name == "tokens") return AlignmentKind::kTokenWeights;
  if (name == "soft") return AlignmentKind::kSoft;
  return AlignmentKind::kNone;
}

Json word_links_json(const WordAlignment& alignment, const WordLinks& links,
                     std::string_view source, std::string_view target) {
  Json all = {{"source", words_json(source, alignment.source)},
              {"target", words_json(target, alignment.target)},
              {"links", Json::array()}};
  for (const auto& [from, to] : links) {
    all["links"].push_back(
        {{"source", from},
         {"target", to},
         {"weight", rounded(weight_of(alignment, from, to))}});
  }
  return all;
}

Json word_weights_json(const WordAlignment& alignment, std::string_view source,
                       std::string_view target) {
  Json all = {{"source", words_json(source, alignment.source)},
              {"target", words_json(target, alignment.target)},
              {"weights", Json::array()}};
  const std::vector<float> weights = dense_weights(alignment);
  const size_t columns = alignment.source.size();
  for (size_t t = 0; t < alignment.target.size(); ++t) {
    all["weights"].push_back(
        number_row(std::span(weights).subspan(t * columns, columns)));
  }
  return all;
}

Json word_scores_json(const WordScores& scores) {
  return {{"words", number_row(scores.words)}, {"end", rounded(scores.end)}};
}

double rounded(float value) {
  if (!std::isfinite(value)) return value;
  char digits[32];
  const auto [end, error] = std::to_chars(
      digits, std::end(digits), double{value}, std::chars_format::general, 6);
  double result = value;
  std::from_chars(digits, end, result);
  return result;
}

Json tokens_json(const Tokenizer& tokenizer, std::string_view text,
                 const std::vector<std::vector<Piece>>& parts) {
  const std::vector<TextRange> words = words_of(text);
  Json tokens = Json::array(), numbers = Json::array();
  for (const std::vector<Piece>& pieces : parts) {
    const std::vector<int> of = words_of_tokens(words, pieces);
    for (size_t i = 0; i < pieces.size(); ++i) {
      tokens.push_back(mend_utf8(tokenizer.piece(pieces[i].id)));
      numbers.push_back(of[i] < std::ssize(words) ? of[i] : -1);
    }
    tokens.push_back(tokenizer.piece(tokenizer.end()));
    numbers.push_back(-1);
  }
  return {{"tokens", tokens}, {"words", numbers}};
}

Json pieces_json(const Tokenizer& tokenizer, std::string_view text,
                 std::span<const Piece> pieces) {
  Json all = Json::array();
  CharacterCount characters(text);
  for (const Piece& piece : pieces) {
    const size_t begin = characters.at(piece.begin);
    all.push_back({{"token", mend_utf8(tokenizer.piece(piece.id))},
                   {"id", piece.id},
                   {"begin", begin},
                   {"end", characters.at(piece.end)}});
  }
  return all;
}

void add_details(Json& object, const TranslationStyle& style,
                 const std::string& source, const Translation& translation,
                 const Tokenizers& tokenizers) {
  if (style.word_scores) {
    object["word_scores"] = word_scores_json(score_words(translation));
  }
  if (style.alignment != AlignmentKind::kNone) {
    object["alignment"] =
        alignment_json(style, source, translation, tokenizers);
  }
}

Json translations_json(const TranslationStyle& style, const std::string& source,
                       const std::vector<Translation>& translations,
                       const Tokenizers& tokenizers) {
  const Translation& best = translations.front();
  Json object = one_json(style, source, best, tokenizers);
  if (best.parts.size() > 1) object["parts"] = best.parts.size();
  if (style.n_best) {
    object["n_best"] = Json::array();
    for (const Translation& t : translations) {
      object["n_best"].push_back(one_json(style, source, t, tokenizers));
    }
  }
  return object;
}

}  // namespace fovea
