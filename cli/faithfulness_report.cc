#include "cli/faithfulness_report.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/explain/faithfulness_plots.h"
#include "fovea/explain/faithfulness_words.h"
#include "fovea/explain/label.h"
#include "fovea/explain/svg_theme.h"

namespace fovea::cli {
namespace {

constexpr int kBins = 4;  // of the largest weight
constexpr int kNameWidth = 28, kNumberWidth = 9;

std::string number(double value) {
  if (std::isnan(value)) return "-";
  return join(std::fixed, std::setprecision(3), value);
}

std::string padded(const std::string& text, int width) {
  const int free = width - display_width(text);
  return text + std::string(std::max(free, 1), ' ');
}

std::string table_row(const std::string& name,
                      const std::vector<std::string>& cells) {
  std::string line = "  " + padded(name, kNameWidth);
  for (const std::string& cell : cells) {
    const auto free = kNumberWidth - static_cast<int>(cell.size());
    line += std::string(std::max(free, 1), ' ') + cell;
  }
  return line + "\n";
}

std::string paragraph(const std::string& mark, const std::string& text,
                      int width) {
  std::string out;
  const auto columns = [](std::string_view s) {
    return static_cast<double>(display_width(s));
  };
  std::string indent = mark;
  for (const std::string& line :
       wrap_words(text, width - static_cast<double>(mark.size()), columns)) {
    out += indent + line + "\n";
    indent.assign(mark.size(), ' ');
  }
  return out;
}

std::string agreement_row(const std::string& name, const AgreementSummary& a) {
  return table_row(name, {number(a.tau), number(a.deviation),
                          number(a.significant), number(a.same_top)});
}

std::string agreement_table(const FaithfulnessSummary& s) {
  std::string out = table_row("agreement of weights with",
                              {"tau-b", "+-", "p < .05", "same top"}) +
                    agreement_row("gradient (weights fixed)", s.gradient) +
                    agreement_row("gradient x state (fixed)", s.states) +
                    agreement_row("leaving a token out", s.erasure) +
                    agreement_row("gradient x input", s.input);
  if (s.integrated.cases > 0) {
    out += agreement_row("integrated gradients", s.integrated);
  }
  return out + agreement_row("(gradient with leaving out)", s.reference);
}

// Ten columns from -1 to 1.
std::string histogram_table(const FaithfulnessReport& report) {
  if (report.outcomes.empty()) return "";
  std::string out =
      "\n  tau-b with the gradient, texts by predicted label, "
      "from -1 to 1\n";
  std::map<int, std::vector<CaseResult>> by_outcome;
  for (const CaseResult& r : report.cases) by_outcome[r.outcome].push_back(r);
  for (const auto& [outcome, cases] : by_outcome) {
    out += "  " + padded(one_line(report.outcomes[outcome]), kNameWidth);
    for (const int64_t count : tau_histogram(cases, &CaseResult::gradient)) {
      const std::string text = std::to_string(count);
      out +=
          std::string(std::max<size_t>(6, text.size() + 1) - text.size(), ' ') +
          text;
    }
    out += "\n";
  }
  return out;
}

double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// By the largest weight of a case: how the output and the weights move.
std::string change_table(const FaithfulnessReport& report) {
  std::string out = table_row("by the largest weight",
                              {"cases", "shuffled", "adverse", "seeds"});
  for (int bin = 0; bin < kBins; ++bin) {
    std::vector<double> shuffled, adverse, seeds;
    for (const CaseResult& r : report.cases) {
      if (weight_bin(r, kBins) != bin) continue;
      shuffled.push_back(r.permuted);
      adverse.push_back(r.adversary.js);
      for (const RetrainedModel& m : report.retrained) {
        if (m.name.starts_with("seed ")) seeds.push_back(m.js[r.text]);
      }
    }
    out += table_row(join(bin * 0.25, " to ", (bin + 1) * 0.25),
                     {std::to_string(shuffled.size()), number(median(shuffled)),
                      number(median(adverse)), number(median(seeds))});
  }
  return out +
         "  (medians: total variation of outputs; largest divergence of "
         "weights with\n  the same output; divergence of the weights of "
         "other seeds)\n";
}

std::string retrained_table(const FaithfulnessReport& report) {
  if (report.retrained.empty()) return "";
  std::string out = "\n" + table_row("trained again", {"right %", "macro F1",
                                                       "output", "weights"});
  for (const RetrainedModel& m : report.retrained) {
    out += table_row(m.name, {number(m.accuracy), number(m.macro_f1),
                              number(m.distance), number(median(m.js))});
  }
  return out +
         "  (total variation of outputs and median divergence of "
         "weights, from this\n  model's)\n";
}

std::string list(const std::string& title,
                 const std::vector<std::string>& lines, int width) {
  if (lines.empty()) return "";
  std::string out = "\n" + title + "\n";
  for (const std::string& line : lines) out += paragraph("  - ", line, width);
  return out;
}

FaithfulnessFigures figures_of(const FaithfulnessReport& r) {
  return {r.summary, r.cases, r.retrained, r.outcomes};
}

}  // namespace

std::string report_text(const FaithfulnessReport& report, int width) {
  const FaithfulnessSummary& s = report.summary;
  const int columns = std::clamp(width, 40, 100);
  std::string out =
      join("Does attention explain the output? ", s.layer,
           s.head < 0 ? "" : join(", head ", s.head), ", ",
           one_line(texts_name(s)), ", ", s.cases, " outputs, ", std::fixed,
           std::setprecision(1), s.accuracy, " % right\n\n");
  out += agreement_table(s) + histogram_table(report) + "\n" +
         change_table(report) + retrained_table(report);
  out += list("What was found", findings(s), columns);
  const Claims claims = claims_of(s);
  out += list("You may say", claims.allowed, columns);
  out += list("You may not say", claims.not_allowed, columns);
  return out + "\n" + paragraph("", verdict_text(s), columns);
}

std::string report_svg(const FaithfulnessReport& report, SvgTheme theme) {
  return join_svg(faithfulness_plots(figures_of(report), theme));
}

std::string report_page(const FaithfulnessReport& report) {
  return report_html(faithfulness_page(figures_of(report)));
}

}  // namespace fovea::cli
