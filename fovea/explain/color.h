#pragma once

#include <cstdint>
#include <string>

// Colour scales for maps. Dark is little and bright is much in both, lightness
// being even in the value: so they can be told apart by colour-blind eyes, in
// grey print, and on a light or a dark ground.
namespace fovea {

struct Color {
  uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Color&) const = default;
};

constexpr Color kBlack{0, 0, 0}, kWhite{255, 255, 255};

// From indigo through teal to yellow, for 0..1; values outside are clamped.
Color sequential_color(float t);

// From bright blue through near black to bright orange, for -1..1.
Color diverging_color(float t);

// The same scales in the fixed colours 16..255 of a 256-colour terminal, and
// what such a colour looks like.
int sequential_256(float t);
int diverging_256(float t);
Color color_of_256(int index);

// Relative luminance as in WCAG 2: 0 is black, 1 is white.
float luminance(Color color);

// Black or white, whichever is easier to read on `ground`.
Color text_color_on(Color ground);

std::string hex_text(Color color);  // "#0a1b2c"

}  // namespace fovea
