// Any bytes, mended, as a long text: parts keep to the limit, and only white
// space lies between them.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "fovea/data/long_text.h"

namespace {

int count(std::string_view text) {
  return static_cast<int>(fovea::code_points(text).size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text =
      fovea::mend_utf8({reinterpret_cast<const char*>(data) + 1, size - 1});
  const int most = 1 + data[0] % 32;
  size_t end = 0;
  const auto check_gap = [&](size_t to) {
    const std::string_view gap = std::string_view(text).substr(end, to - end);
    if (!fovea::without_end_space(gap).empty()) abort();
  };
  for (const fovea::TextRange& part : fovea::cut_long_text(text, most, count)) {
    if (count(part.of(text)) > most) abort();
    check_gap(part.begin);
    end = part.end;
  }
  check_gap(text.size());
  return 0;
}
