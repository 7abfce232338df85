#include "support/any_text.h"

#include <vector>

namespace fovea::testing {

std::string code_point(uint32_t code) {
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr uint32_t kFirst[] = {0, 0xc0, 0xe0, 0xf0};
  std::string text(1, static_cast<char>(kFirst[more] | (code >> (6 * more))));
  for (int i = more - 1; i >= 0; --i) {
    text += static_cast<char>(0x80 | ((code >> (6 * i)) & 63));
  }
  return text;
}

rc::Gen<std::string> any_text() {
  const auto awkward = rc::gen::element<uint32_t>(
      0, ' ', ' ', ' ', '\t', '\r', 0xa0, 0x2581, 0x2585, 0x2028, 0x301, 0x200d,
      0xfeff, 0x1f600, 0x1f1e9, 0x10ffff, 0xe000, 0xfffd, '<', '_', 'a', 'e');
  const auto any = rc::gen::suchThat(
      rc::gen::inRange<uint32_t>(0, 0x110000),
      [](uint32_t c) { return c != '\n' && (c < 0xd800 || c > 0xdfff); });
  return rc::gen::map(
      rc::gen::container<std::vector<uint32_t>>(rc::gen::oneOf(awkward, any)),
      [](const std::vector<uint32_t>& codes) {
        std::string text;
        for (const uint32_t code : codes) text += code_point(code);
        return text;
      });
}

}  // namespace fovea::testing
