#pragma once

#include <string>

#include "fovea/explain/explanation.h"
#include "fovea/explain/render_svg.h"
#include "fovea/explain/view.h"

// The pictures of an explanation that are no heat maps. As those of render_svg
// they need nothing else.
namespace fovea {

// Two columns of tokens joined by lines, as strong as the weights, in a colour
// for each head (SPEC E4); of one query if options.token names it.
std::string render_heads_svg(const Explanation& e, const ViewOptions& options,
                             SvgTheme theme);

// A small map for each layer and head, a row for each layer (SPEC E5).
std::string render_model_svg(const Explanation& e, SvgTheme theme);

// The source once for each word of the translation, letters as clear as the
// weights (SPEC E15).
std::string render_fovea_svg(const Explanation& e, const ViewOptions& options,
                             SvgTheme theme);

}  // namespace fovea
