#pragma once

#include <string>

#include "fovea/explain/render_svg.h"
#include "fovea/explain/render_terminal.h"
#include "fovea/explain/view.h"

// A view as a picture or as lines of text, whatever it shows.
namespace fovea {

std::string render_svg(const MapGroups& groups, const SvgOptions& options);
std::string render_terminal(const MapGroups& groups,
                            const TerminalOptions& options);

std::string render_view_svg(const Explanation& e, View view,
                            const ViewOptions& options, const SvgOptions& svg);
std::string render_view_terminal(const Explanation& e, View view,
                                 const ViewOptions& options,
                                 const TerminalOptions& terminal);

}  // namespace fovea
