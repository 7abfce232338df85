#include "cli/explain_views.h"

#include <cmath>
#include <functional>
#include <iostream>
#include <optional>
#include <variant>

#include "cli/utf8_line.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/terminal.h"
#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "fovea/explain/explain_text.h"
#include "fovea/explain/faithfulness_summary.h"
#include "fovea/explain/page.h"
#include "fovea/explain/render_png.h"
#include "fovea/explain/render_view.h"
#include "fovea/io/file_replacement.h"
#include "fovea/io/text_file.h"
#include "fovea/models/box.h"

namespace fovea::cli {
namespace {

// A model of either kind that explains lines.
class Explainer {
 public:
  Explainer(const std::string& folder, const ExplainFlags& flags)
      : beam_(flags.beam_size), explained_{.name = folder} {
    const FileSource files = model_files(folder);
    explained_.faithfulness = load_faithfulness(files);
    explained_.vectors = !flags.html.empty() || !flags.test.json.empty() ||
                         flags.view == View::kNeuron ||
                         flags.view == View::kComposition;
    if (task_of(files) == "classify") {
      model_.emplace<ClassifierModel>(
          load_classifier(files, Precision::kFloat32));
    } else {
      model_.emplace<Translator>(Translator::load({folder}));
    }
  }

  // A sentence, or a sentence, a tab and its translation.
  Explanation explain(const std::string& line) const {
    if (const auto* classifier = std::get_if<ClassifierModel>(&model_)) {
      return explain_label(*classifier, line, explained_);
    }
    const size_t tab = line.find('\t');
    ExplainRequest request{.source = line.substr(0, tab), .beam_size = beam_};
    if (tab != std::string::npos) request.target = line.substr(tab + 1);
    return explain_text(std::get<Translator>(model_), request, explained_);
  }

 private:
  int beam_;
  ExplainOptions explained_;
  std::variant<std::monostate, ClassifierModel, Translator> model_;
};

std::string summary(const Explanation& e) {
  const std::string source = one_line(e.source.text);
  if (e.task == "translate") {
    return join(source, "\n-> ", one_line(e.target.text));
  }
  return join(source, "\n-> ", one_line(e.labels.front().name), " (",
              std::lround(100 * e.labels.front().probability), " %)");
}

ViewOptions view_options(const ExplainFlags& flags) {
  ViewOptions options = flags.options;
  options.layer = flags.test.layer;
  options.head = flags.test.tests.head;
  return options;
}

// The picture is drawn if it is wanted.
void write_files(const ExplainFlags& flags, const MapGroups& maps,
                 const std::function<std::string()>& draw_svg) {
  if (!flags.svg.empty()) replace_file(flags.svg, draw_svg());
  if (!flags.png.empty()) replace_file(flags.png, render_png(draw_svg()));
  if (!flags.csv.empty()) replace_file(flags.csv, maps_csv(maps));
}

// One document, or an array of two.
void write_documents(const ExplainFlags& flags, const Explanation& first,
                     const std::optional<Explanation>& second) {
  if (flags.test.json.empty() && flags.html.empty()) return;
  std::string all = explanation_json(first);
  if (second) all = join("[", all, ",", explanation_json(*second), "]");
  if (!flags.test.json.empty()) replace_file(flags.test.json, all + "\n");
  if (!flags.html.empty()) replace_file(flags.html, explain_page(all));
}

bool writes_files(const ExplainFlags& f) {
  return !(f.svg.empty() && f.png.empty() && f.csv.empty() && f.html.empty() &&
           f.test.json.empty());
}

TerminalOptions terminal_options(const ExplainFlags& flags) {
  TerminalOptions options = TerminalOptions::standard_output();
  options.numbers = flags.numbers;
  options.row_sums = flags.row_sums;
  return options;
}

// A PNG has no reader whose system it could follow.
SvgOptions svg_options(const ExplainFlags& flags) {
  const bool fixed = flags.theme == SvgTheme::kAuto && !flags.png.empty();
  return {.theme = fixed ? SvgTheme::kLight : flags.theme,
          .numbers = flags.numbers};
}

void show(const Explainer& explainer, const Explainer* beside,
          const ExplainFlags& flags, const std::string& line) {
  const ViewOptions options = view_options(flags);
  const TerminalOptions terminal = terminal_options(flags);
  const SvgOptions svg = svg_options(flags);
  const Explanation e = explainer.explain(line);
  std::optional<Explanation> other;
  std::cout << summary(e) << "\n\n";
  if (!flags.contrast.empty()) {
    other = explainer.explain(flags.contrast);
    const MapGroups maps = contrast_maps(e, *other, options.layer);
    std::cout << render_terminal(maps, terminal);
    write_files(flags, maps, [&] { return render_svg(maps, svg); });
  } else {
    std::cout << render_view_terminal(e, flags.view, options, terminal);
    write_files(flags, view_maps(e, flags.view, options),
                [&] { return render_view_svg(e, flags.view, options, svg); });
  }
  if (beside) other = beside->explain(line);
  write_documents(flags, e, other);
}

}  // namespace

void show_views(const std::string& folder, const ExplainFlags& flags) {
  check_usage(flags.beside.empty() || !flags.html.empty(),
              "--beside is for --html FILE");
  check_usage(flags.beside.empty() || flags.contrast.empty(),
              "give --beside or --contrast");
  const Explainer explainer(folder, flags);
  std::optional<Explainer> beside;
  if (!flags.beside.empty()) beside.emplace(flags.beside, flags);
  if (stdin_is_terminal()) log_info("type a sentence");
  LineReader reader("-");
  int count = 0;
  while (const auto line = reader.next()) {
    const std::string text = utf8_line(*line, reader.place());
    if (is_blank(text)) continue;
    check_usage(++count == 1 || !writes_files(flags),
                "files are for one sentence, and there are more");
    if (count > 1) std::cout << "\n";
    show(explainer, beside ? &*beside : nullptr, flags, text);
    std::cout << std::flush;
  }
  check_data(count > 0, "standard input has no sentence to explain");
}

}  // namespace fovea::cli
