#include "fovea/explain/color.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace fovea {
namespace {

// Oklab (Ottosson 2020): distances are about as large as they look.
struct Lab {
  float lightness, a, b;
};

float to_linear(uint8_t byte) {
  const float c = static_cast<float>(byte) / 255.0f;
  return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}

uint8_t to_byte(float linear) {
  const float c = std::clamp(linear, 0.0f, 1.0f);
  const float coded =
      c <= 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
  return static_cast<uint8_t>(std::lround(255.0f * coded));
}

Color from_lab(Lab lab) {
  auto cube = [](float x) { return x * x * x; };
  const float l = cube(lab.lightness + 0.3963378f * lab.a + 0.2158038f * lab.b);
  const float m = cube(lab.lightness - 0.1055613f * lab.a - 0.0638542f * lab.b);
  const float s = cube(lab.lightness - 0.0894842f * lab.a - 1.2914855f * lab.b);
  return {to_byte(4.0767417f * l - 3.3077116f * m + 0.2309699f * s),
          to_byte(-1.2684380f * l + 2.6097574f * m - 0.3413194f * s),
          to_byte(-0.0041961f * l - 0.7034186f * m + 1.7076147f * s)};
}

Lab from_polar(float lightness, float chroma, float degrees) {
  const float angle = degrees * 3.14159265f / 180.0f;
  return {lightness, chroma * std::cos(angle), chroma * std::sin(angle)};
}

float mix(float from, float to, float t) { return from + t * (to - from); }

// The nearest that xterm's cube of 6 x 6 x 6 colours has to the two scales.
constexpr int kSequential256[] = {17, 18, 19, 24, 30, 36, 78, 114, 186, 228};
constexpr int kDiverging256[] = {117, 74, 31,  24,  236, 234,
                                 236, 94, 130, 172, 215};

int pick(std::span<const int> steps, float t) {
  const float last = static_cast<float>(steps.size() - 1);
  return steps[std::lround(last * std::clamp(t, 0.0f, 1.0f))];
}

}  // namespace

Color sequential_color(float t) {
  t = std::clamp(t, 0.0f, 1.0f);
  // A screen has room for little chroma in the teal of the middle.
  const float chroma = mix(0.105f, 0.155f, t) - 0.14f * t * (1 - t);
  return from_lab(from_polar(mix(0.23f, 0.93f, t), chroma, mix(285, 103, t)));
}

Color diverging_color(float t) {
  t = std::clamp(t, -1.0f, 1.0f);
  const float size = std::abs(t);
  // Both arms keep inside what a screen can show at their end.
  const float chroma = t < 0 ? 0.105f : 0.125f;
  return from_lab(from_polar(mix(0.22f, 0.84f, size),
                             chroma * std::min(1.0f, 1.6f * size),
                             t < 0 ? 235.0f : 68.0f));
}

int sequential_256(float t) { return pick(kSequential256, t); }

int diverging_256(float t) { return pick(kDiverging256, 0.5f + 0.5f * t); }

Color color_of_256(int index) {
  if (index >= 232) {
    const auto grey = static_cast<uint8_t>(8 + 10 * (index - 232));
    return {grey, grey, grey};
  }
  constexpr uint8_t kLevels[] = {0, 95, 135, 175, 215, 255};
  const int i = index - 16;
  return {kLevels[i / 36], kLevels[i / 6 % 6], kLevels[i % 6]};
}

float luminance(Color color) {
  return 0.2126f * to_linear(color.red) + 0.7152f * to_linear(color.green) +
         0.0722f * to_linear(color.blue);
}

Color text_color_on(Color ground) {
  // Where the contrasts to black and to white are equal.
  constexpr float kMiddle = 0.179f;
  return luminance(ground) > kMiddle ? kBlack : kWhite;
}

std::string hex_text(Color color) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = "#";
  for (const uint8_t byte : {color.red, color.green, color.blue}) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

}  // namespace fovea
