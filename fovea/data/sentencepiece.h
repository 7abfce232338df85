#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/text_model.h"

namespace fovea {

// The door to the library SentencePiece: unigram and bpe.
TextModelPtr train_sentencepiece(const TokenizerConfig& config,
                                 const std::vector<std::string>& lines);

// `unit` as in TextModel::unit().
TextModelPtr read_sentencepiece(const std::string& unit,
                                std::string_view payload,
                                const std::string& source);

}  // namespace fovea
