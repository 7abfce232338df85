// Any bytes as a tokenizer: either one Error says why not, or it survives being
// written and read back and cuts any text.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fovea/base/check.h"
#include "fovea/data/text_model.h"

namespace {

using fovea::TextModelPtr;

// A model of words or characters, whose readers a checksum else protects.
TextModelPtr model_of(char kind, const std::string& bytes) {
  return kind == 'w' ? fovea::read_words(bytes, "fuzz")
                     : fovea::read_characters(bytes, "fuzz");
}

void use(const fovea::TextModel& model) {
  for (const char* text : {"", " a ▁ b\t", "Ω 😀 word"}) {
    for (const fovea::Piece& piece : model.pieces(text)) {
      if (piece.id < 0 || piece.id >= model.vocabulary().size()) abort();
      if (piece.begin > piece.end) abort();
    }
    model.decode(model.encode(text));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const char kind = static_cast<char>(data[0]);
  try {
    if (kind == 'w' || kind == 'c') {
      const TextModelPtr model = model_of(kind, bytes);
      use(*model);
      if (model_of(kind, model->payload())->payload() != model->payload()) {
        abort();
      }
    } else {
      const auto tokenizer = fovea::Tokenizer::read(bytes, "fuzz");
      if (fovea::Tokenizer::read(tokenizer.write(), "again").size() !=
          tokenizer.size()) {
        abort();
      }
      tokenizer.decode(tokenizer.encode("some text"));
    }
  } catch (const fovea::Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) abort();
  }
  return 0;
}
