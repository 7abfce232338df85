#include "fovea/explain/color.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fovea {
namespace {

TEST(SequentialColor, GrowsBrighterWithTheValue) {
  float last = -1;
  for (int i = 0; i <= 100; ++i) {
    const float now = luminance(sequential_color(static_cast<float>(i) / 100));
    EXPECT_GT(now, last) << i;
    last = now;
  }
  EXPECT_LT(luminance(sequential_color(0)), 0.02f);
  EXPECT_GT(luminance(sequential_color(1)), 0.75f);
}

TEST(DivergingColor, GrowsBrighterOnBothSides) {
  for (const float sign : {-1.0f, 1.0f}) {
    float last = -1;
    for (int i = 0; i <= 50; ++i) {
      const float now =
          luminance(diverging_color(sign * static_cast<float>(i) / 50));
      EXPECT_GT(now, last) << sign << " " << i;
      last = now;
    }
  }
}

TEST(DivergingColor, IsBlueBelowAndOrangeAboveWithTheSameLightness) {
  const Color below = diverging_color(-1), above = diverging_color(1);
  EXPECT_GT(below.blue, below.red);
  EXPECT_GT(above.red, above.blue);
  EXPECT_NEAR(luminance(below), luminance(above), 0.1f);
}

TEST(ColorsOf256, GrowBrighterToo) {
  auto brightness = [](int index) { return luminance(color_of_256(index)); };
  for (int i = 1; i <= 9; ++i) {
    const float t = static_cast<float>(i) / 9;
    EXPECT_GT(brightness(sequential_256(t)),
              brightness(sequential_256(t - 1.0f / 9)));
  }
  for (const float sign : {-1.0f, 1.0f}) {
    for (int i = 1; i <= 5; ++i) {
      const float t = static_cast<float>(i) / 5;
      EXPECT_GT(brightness(diverging_256(sign * t)),
                brightness(diverging_256(sign * (t - 0.2f))));
    }
  }
}

TEST(Colors, ClampValuesOutsideTheScale) {
  EXPECT_EQ(sequential_color(-3), sequential_color(0));
  EXPECT_EQ(sequential_color(3), sequential_color(1));
  EXPECT_EQ(diverging_color(-3), diverging_color(-1));
  EXPECT_EQ(diverging_256(3), diverging_256(1));
}

TEST(TextColor, HasTheContrastThatReadersNeed) {
  for (int i = 0; i <= 100; ++i) {
    for (const Color ground :
         {sequential_color(static_cast<float>(i) / 100),
          diverging_color(static_cast<float>(i) / 50 - 1)}) {
      const float a = luminance(ground), b = luminance(text_color_on(ground));
      // WCAG 2 asks for 4.5.
      EXPECT_GE((std::max(a, b) + 0.05f) / (std::min(a, b) + 0.05f), 4.5f);
    }
  }
}

TEST(HexText, IsAsCssWantsIt) { EXPECT_EQ(hex_text({0, 10, 255}), "#000aff"); }

}  // namespace
}  // namespace fovea
