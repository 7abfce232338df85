#include "fovea/serve/detect_language.h"

#include <algorithm>
#include <sstream>

#include "fovea/base/unicode.h"
#include "fovea/base/unicode_case.h"
#include "fovea/base/words.h"

namespace fovea {
namespace {

struct Language {
  std::string_view code, name;
  char32_t first, last;       // letters of its script
  std::string_view frequent;  // words, with spaces
};

constexpr char32_t kLatinFirst = 'A', kLatinLast = 0x24f;
constexpr size_t kEnough = 1 << 16;  // bytes that say which language it is

constexpr Language kLanguages[] = {
    {"en", "English", kLatinFirst, kLatinLast,
     "the of and to in is you that it he was for on are with as i his they be "
     "at have this from or had by not but what we when your said there an she "
     "which do their if will how my me where who would thank please"},
    {"fr", "French", kLatinFirst, kLatinLast,
     "le la les de des du un une et est en que qui dans pour pas sur au aux ce "
     "cette il elle je tu nous vous ils avec son sa ses mais ou par plus ne se "
     "mon ma mes où très être avoir merci c'est j'ai n'est l'on d'un d'une"},
    {"de", "German", kLatinFirst, kLatinLast,
     "der die das und ist in zu den nicht von sie ein eine einen mit sich des "
     "auf für dem im ich es als auch an werden aus er hat dass wir bei sind "
     "nach war wie oder aber mein kann ihr wo wer sehr danke bitte"},
    {"es", "Spanish", kLatinFirst, kLatinLast,
     "el la los las de que y en un una es se no por con para su al lo como más "
     "pero sus le ya o este sí porque esta entre cuando muy sin sobre también "
     "me hasta hay donde quien yo tú mi está gracias"},
    {"it", "Italian", kLatinFirst, kLatinLast,
     "il lo la i gli le di che e un una è in non per con si da del della sono "
     "al come più ma anche questo nel ha io tu mi ci dove chi molto perché "
     "grazie c'è"},
    {"nl", "Dutch", kLatinFirst, kLatinLast,
     "de het een en van is dat in te niet op ik je met zijn voor er aan maar "
     "om ook als dan naar bij nog uit hij zij wij waar wie heel dank"},
    {"pt", "Portuguese", kLatinFirst, kLatinLast,
     "o a os as de que e do da em um uma é para com não se na por mais como "
     "mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu "
     "onde quem obrigado"},
    {"sv", "Swedish", kLatinFirst, kLatinLast,
     "och det att i en jag hon som han på den med var sig för så till är men "
     "ett om hade de av icke mig du henne där vem mycket tack"},
    {"pl", "Polish", kLatinFirst, kLatinLast,
     "i w na z do się nie że to jest o jak po co tak za od ale czy go już "
     "przez gdzie kto bardzo"},
    {"cs", "Czech", kLatinFirst, kLatinLast,
     "a se v na je že o s z do to i za by jako ale jsem co jsou po kde kdo "
     "velmi"},
    {"ru", "Russian", 0x400, 0x4ff,
     "и в не на я что он с как это по но они мы она так его за был"},
    {"uk", "Ukrainian", 0x400, 0x4ff,
     "і в не на я що він з як це по але вони ми вона так його за є та"},
    {"el", "Greek", 0x370, 0x3ff, ""},
    {"he", "Hebrew", 0x590, 0x5ff, ""},
    {"ar", "Arabic", 0x600, 0x6ff, ""},
    {"hi", "Hindi", 0x900, 0x97f, ""},
    {"ja", "Japanese", 0x3040, 0x30ff, ""},
    {"zh", "Chinese", 0x4e00, 0x9fff, ""},
    {"ko", "Korean", 0xac00, 0xd7af, ""},
};

// Of "pt-BR" the language counts.
const Language* known(std::string_view code) {
  code = code.substr(0, code.find('-'));
  for (const Language& language : kLanguages) {
    if (language.code == code) return &language;
  }
  return nullptr;
}

bool is_frequent(std::string_view word, std::string_view words) {
  while (!words.empty()) {
    const std::string_view one = words.substr(0, words.find(' '));
    if (one == word) return true;
    words.remove_prefix(std::min(words.size(), one.size() + 1));
  }
  return false;
}

// Letters at both ends, without punctuation.
std::string_view bare(std::string_view word) {
  const auto is_mark = [](char c) {
    return static_cast<unsigned char>(c) < 0x80 && !std::isalnum(c);
  };
  while (!word.empty() && is_mark(word.front())) word.remove_prefix(1);
  while (!word.empty() && is_mark(word.back())) word.remove_suffix(1);
  return word;
}

// The share of letters that its script has.
double script_share(const std::u32string& letters, const Language& language) {
  if (letters.empty()) return 0;
  const auto count = std::ranges::count_if(letters, [&](char32_t c) {
    return c >= language.first && c <= language.last;
  });
  return static_cast<double>(count) / static_cast<double>(letters.size());
}

double word_share(const std::vector<std::string>& words,
                  const Language& language) {
  if (words.empty()) return 0;
  const auto count = std::ranges::count_if(words, [&](const std::string& w) {
    return is_frequent(w, language.frequent);
  });
  return static_cast<double>(count) / static_cast<double>(words.size());
}

}  // namespace

std::vector<LanguageGuess> detect_language(
    std::string_view text, std::span<const std::string> languages) {
  const std::string small = lower_case(mend_utf8(text.substr(0, kEnough)));
  std::u32string letters;
  for (char32_t c : code_points(small)) {
    const bool is_letter = c >= 0xc0 || (c >= 'a' && c <= 'z');
    if (is_letter) letters += c;
  }
  std::vector<std::string> words;
  for (std::string_view word : split_words(small)) {
    if (!bare(word).empty()) words.emplace_back(bare(word));
  }
  // About half the words of a plain text are among the frequent ones.
  constexpr double kUsualShare = 0.4, kScriptAlone = 0.1;
  std::vector<LanguageGuess> guesses;
  for (const std::string& code : languages) {
    const Language* language = known(code);
    double share = 0;
    if (language != nullptr) {
      const double by_words =
          std::min(1.0, word_share(words, *language) / kUsualShare);
      const bool own_script = language->first != kLatinFirst;
      share = script_share(letters, *language) *
              (own_script ? std::max(0.5, by_words)
                          : std::max(kScriptAlone, by_words));
    }
    guesses.push_back({code, 100 * share});
  }
  std::stable_sort(guesses.begin(), guesses.end(),
                   [](const LanguageGuess& a, const LanguageGuess& b) {
                     return a.confidence > b.confidence;
                   });
  return guesses;
}

std::string language_name(const std::string& code) {
  const Language* language = known(code);
  return language == nullptr ? code : std::string(language->name);
}

}  // namespace fovea
