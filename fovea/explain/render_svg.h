#pragma once

#include <span>
#include <string>

#include "fovea/base/fields.h"
#include "fovea/explain/heatmap.h"

namespace fovea {

// kAuto follows the reader's system (CSS prefers-color-scheme).
enum class SvgTheme { kAuto, kLight, kDark };
constexpr EnumName<SvgTheme> kSvgThemes[] = {{SvgTheme::kAuto, "auto"},
                                             {SvgTheme::kLight, "light"},
                                             {SvgTheme::kDark, "dark"}};
constexpr auto& enum_names(SvgTheme) { return kSvgThemes; }

struct SvgOptions {
  SvgTheme theme = SvgTheme::kAuto;
  bool numbers = false;   // print each value in its cell
  bool row_sums = false;  // print the sum of each row behind it
  int per_row = 0;        // maps beside each other; 0: as many as are readable
};

// A picture that needs nothing else: no script, no font, no address. Several
// maps share one scale of colours. A cell tells its labels and value when
// pointed at, unless there are more than 6400 of them; then colours are also
// rounded to 64 steps, to keep the file small.
std::string render_svg(const Heatmap& map, const SvgOptions& options = {});
std::string render_svg(std::span<const Heatmap> maps,
                       const SvgOptions& options = {});

}  // namespace fovea
