#pragma once

#include <string>
#include <vector>

#include "fovea/explain/heatmap.h"
#include "fovea/explain/line_chart.h"

namespace fovea {

// Rows of texts. Without column names it lists keys and their values.
struct TextTable {
  std::string title = {};
  std::vector<std::string> columns = {};  // names, or empty
  std::vector<std::vector<std::string>> rows = {};
};

// Tables first, then charts beside each other, then maps and other pictures.
struct ReportSection {
  std::string title = {};
  std::string note = {};
  std::vector<TextTable> tables = {};
  std::vector<Chart> charts = {};
  std::vector<Heatmap> maps = {};
  std::vector<std::string> pictures = {};  // SVG of render_svg() and its like
};

struct Report {
  std::string title = {};
  std::string note = {};
  std::vector<ReportSection> sections = {};
};

// One page that needs nothing else: no script, no font, no address; light or
// dark as the reader's system is. Texts may hold any bytes.
std::string report_html(const Report& report);

}  // namespace fovea
