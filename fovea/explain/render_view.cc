#include "fovea/explain/render_view.h"

#include <algorithm>

#include "fovea/explain/label.h"
#include "fovea/explain/render_lines.h"
#include "fovea/explain/render_pictures.h"
#include "fovea/explain/svg_theme.h"
#include "fovea/explain/view_parts.h"

namespace fovea {

std::string render_svg(const MapGroups& groups, const SvgOptions& options) {
  std::vector<std::string> pictures;
  for (const std::vector<Heatmap>& group : groups) {
    pictures.push_back(render_svg(std::span(group), options));
  }
  return join_svg(pictures);
}

std::string render_terminal(const MapGroups& groups,
                            const TerminalOptions& options) {
  std::string text;
  std::vector<std::string> cautions;  // each is said once, below the last map
  for (const std::vector<Heatmap>& group : groups) {
    for (Heatmap map : group) {
      if (!map.caution.empty() &&
          std::ranges::find(cautions, map.caution) == cautions.end()) {
        cautions.push_back(map.caution);
      }
      map.caution.clear();
      if (!text.empty()) text += '\n';
      text += render_terminal(map, options);
    }
  }
  for (const std::string& caution : cautions) {
    text += wrapped_lines(caution, options.width);
  }
  return text;
}

std::string render_view_svg(const Explanation& e, View view,
                            const ViewOptions& options, const SvgOptions& svg) {
  check_view_options(view, options);
  switch (view) {
    case View::kHeads:
      return render_heads_svg(e, options, svg.theme);
    case View::kModel:
      return render_model_svg(e, svg.theme);
    case View::kFovea:
      return render_fovea_svg(e, options, svg.theme);
    case View::kStatistics: {
      SvgOptions with_numbers = svg;
      with_numbers.numbers = true;
      return render_svg(view_maps(e, view, options), with_numbers);
    }
    default:
      return render_svg(view_maps(e, view, options), svg);
  }
}

std::string render_view_terminal(const Explanation& e, View view,
                                 const ViewOptions& options,
                                 const TerminalOptions& terminal) {
  check_view_options(view, options);
  switch (view) {
    case View::kModel:
      return render_model_lines(e, terminal);
    case View::kFovea:
      return render_fovea_lines(source_map(e, options), terminal);
    case View::kStatistics: {
      TerminalOptions with_numbers = terminal;
      with_numbers.numbers = true;
      return render_statistics_lines(e, terminal) + "\n" +
             render_terminal(head_maps(e), with_numbers);
    }
    default:
      return render_terminal(view_maps(e, view, options), terminal);
  }
}

}  // namespace fovea
