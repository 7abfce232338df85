#include "fovea/explain/report_html.h"

#include "fovea/base/check.h"
#include "fovea/explain/render_svg.h"
#include "fovea/explain/svg_writer.h"

namespace fovea {
namespace {

constexpr const char* kStyle = R"(
:root{--ground:#fff;--text:#1f2933;--quiet:#5c6873;--line:#dde2e7;
--card:#f6f8fa;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--ground:#14181d;--text:#e6e9ed;
--quiet:#9aa5b1;--line:#2f3842;--card:#1a2027}}
*{box-sizing:border-box}
body{margin:0 auto;padding:32px 24px 64px;max-width:1240px;
background:var(--ground);color:var(--text);
font:15px/1.5 system-ui,Helvetica,Arial,sans-serif}
h1{font-size:26px;line-height:1.2;margin:0}
h2{font-size:18px;margin:44px 0 12px;padding-top:14px;
border-top:1px solid var(--line)}
h3{font-size:14px;margin:0 0 2px}
p{color:var(--quiet);margin:4px 0 12px}
.charts{display:grid;gap:26px 28px;
grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr))}
.charts>figure:only-child{max-width:720px}
figure{margin:0;min-width:0}
figure p{margin:0;font-size:13px}
.tables{display:flex;flex-wrap:wrap;gap:20px 40px;margin-bottom:22px}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:4px 18px 4px 0;
border-bottom:1px solid var(--line);overflow-wrap:anywhere;max-width:90ch}
th{color:var(--quiet);font-weight:500;white-space:nowrap}
.maps{display:flex;flex-wrap:wrap;gap:18px;align-items:flex-start}
.maps svg{max-width:100%;height:auto}
)";

std::string heading(const char* tag, const std::string& text) {
  if (text.empty()) return {};
  return join("<", tag, ">", xml_text(text), "</", tag, ">\n");
}

// Text may run from right to left: its own direction decides.
std::string cell(const char* tag, const std::string& text) {
  return join("<", tag, " dir=\"auto\">", xml_text(text), "</", tag, ">");
}

std::string table_html(const TextTable& table) {
  std::string html =
      join("<div class=\"scroll\">", heading("h3", table.title), "<table>\n");
  if (!table.columns.empty()) {
    html += "<tr>";
    for (const std::string& name : table.columns) html += cell("th", name);
    html += "</tr>\n";
  }
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (size_t i = 0; i < row.size(); ++i) {
      const bool is_key = table.columns.empty() && i == 0;
      html += cell(is_key ? "th" : "td", row[i]);
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string chart_html(const Chart& chart) {
  return join("<figure>", heading("h3", chart.title), heading("p", chart.note),
              render_chart(chart), "</figure>\n");
}

std::string picture_html(const std::string& svg) {
  return join("<figure class=\"scroll\">", svg, "</figure>\n");
}

std::string map_html(const Heatmap& map) {
  return picture_html(render_svg(map));
}

template <class Part>
std::string group(const char* name, const std::vector<Part>& parts,
                  std::string (*html_of)(const Part&)) {
  if (parts.empty()) return {};
  std::string html = join("<div class=\"", name, "\">\n");
  for (const Part& part : parts) html += html_of(part);
  return html + "</div>\n";
}

std::string section_html(const ReportSection& section) {
  return join("<section>\n", heading("h2", section.title),
              heading("p", section.note),
              group("tables", section.tables, table_html),
              group("charts", section.charts, chart_html),
              group("maps", section.maps, map_html),
              group("maps", section.pictures, picture_html), "</section>\n");
}

}  // namespace

std::string report_html(const Report& report) {
  std::string html =
      join("<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\"/>\n",
           "<meta name=\"viewport\" content=\"width=device-width\"/>\n",
           heading("title", report.title), "<style>", kStyle, chart_style(),
           "</style>\n</head>\n<body>\n", heading("h1", report.title),
           heading("p", report.note));
  for (const ReportSection& section : report.sections) {
    html += section_html(section);
  }
  return html + "</body>\n</html>\n";
}

}  // namespace fovea
