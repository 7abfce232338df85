#include "fovea/serve/token_stream.h"

#include <algorithm>

#include "fovea/base/unicode.h"

namespace fovea {

TokenStream::TokenStream(CallRef call, ModelRef model)
    : call_(std::move(call)), model_(std::move(model)) {}

void TokenStream::start(const TokenText& text) {
  begins_ = {0};
  gaps_ = text.gaps;
  for (const std::vector<Piece>& pieces : text.parts) {
    begins_.push_back(begins_.back() + pieces.size() + 1);
  }
  call_->event("start", {{"source", tokens_json(model_->translator.source(),
                                                text.text, text.parts)}});
}

void TokenStream::step(size_t part, const SearchStep& step) {
  if (part != part_) {
    before_ += last_ + (gaps_[part].empty() ? " " : gaps_[part]);
    part_ = part;
  }
  last_ = model_->translator.target().decode(step.best.ids);
  const std::string text = before_ + last_;
  if (step.certain) {
    call_->event("token", token(step, text));
  } else {
    call_->event("hypothesis", {{"text", text}, {"provisional", true}});
  }
}

Json TokenStream::token(const SearchStep& step, const std::string& text) {
  const Tokenizer& words = model_->translator.target();
  const Hypothesis& best = step.best;
  const int id = best.finished ? words.end() : best.ids.back();
  // Attention over the tokens of all parts, so that rows are alike.
  std::vector<float> row(best.weights.empty() ? 0 : begins_.back());
  if (!row.empty()) {
    const size_t keys = begins_[part_ + 1] - begins_[part_];
    std::copy(best.weights.end() - static_cast<int64_t>(keys),
              best.weights.end(),
              row.begin() + static_cast<int64_t>(begins_[part_]));
  }
  Json weights = Json::array(), others = Json::array();
  for (float weight : row) weights.push_back(rounded(weight));
  for (const SearchStep::Choice& choice : step.choices) {
    others.push_back({{"token", mend_utf8(words.piece(choice.word))},
                      {"probability", rounded(choice.probability)}});
  }
  return {{"index", tokens_++},
          {"token", mend_utf8(words.piece(id))},
          {"text", text},
          {"weights", std::move(weights)},
          {"log_probability", rounded(best.log_probabilities.back())},
          {"alternatives", std::move(others)}};
}

}  // namespace fovea
