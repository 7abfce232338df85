#include "cli/explain_views.h"

#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
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

// What is shown of one explanation, or of two.
struct Shown {
  std::string text;  // for the terminal
  MapGroups numbers;
  std::function<std::string()> svg;  // drawn if it is wanted
};

void write_files(const ExplainFlags& flags, const Shown& shown) {
  if (!flags.svg.empty()) replace_file(flags.svg, shown.svg());
  if (!flags.png.empty()) replace_file(flags.png, render_png(shown.svg()));
  if (!flags.csv.empty()) replace_file(flags.csv, maps_csv(shown.numbers));
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
          .numbers = flags.numbers,
          .row_sums = flags.row_sums};
}

Shown shown_contrast(const Explanation& a, const Explanation& b,
                     const ExplainFlags& flags) {
  const MapGroups maps = contrast_maps(a, b,
                                       {.layer = flags.test.layer,
                                        .head = flags.test.tests.head,
                                        .from_word = flags.from_word});
  return {render_terminal(maps, terminal_options(flags)), maps,
          [=, svg = svg_options(flags)] { return render_svg(maps, svg); }};
}

Shown shown_view(const Explanation& e, const ExplainFlags& flags) {
  const ViewOptions options = view_options(flags);
  ViewOptions all = options;
  if (flags.view == View::kNeuron || flags.view == View::kComposition) {
    all.dimensions = std::numeric_limits<int>::max();
  }
  return {render_view_terminal(e, flags.view, options, terminal_options(flags)),
          view_maps(e, flags.view, all), [&e, &flags, options] {
            return render_view_svg(e, flags.view, options, svg_options(flags));
          }};
}

// A page says of a model without attention what there is to say, so that it is
// no mistake to ask for one, as long as it is not asked for a picture of it.
bool has_only_documents(const Explanation& e, const ExplainFlags& flags) {
  const bool documents = !flags.html.empty() || !flags.test.json.empty();
  const bool pictures =
      !flags.svg.empty() || !flags.png.empty() || !flags.csv.empty();
  return documents && !pictures && flags.view == View::kAlignment &&
         flags.test.layer.empty() && !has_source_map(e);
}

// A page of more takes a browser longer than a reader waits.
constexpr int64_t kMostPageWeights = 10'000'000;  // about 100 MB

void check_page_size(const Explanation& e) {
  int64_t weights = 0;
  for (const ExplainedLayer& layer : e.layers) {
    for (const Tensor& head : layer.weights) weights += head.size();
  }
  check_usage(weights <= kMostPageWeights, "--html: ", weights,
              " weights are more than the ", kMostPageWeights,
              " that a page holds; give a shorter text, or --json FILE");
}

void show(const Explainer& explainer, const Explainer* beside,
          const ExplainFlags& flags, const std::string& line) {
  Explanation e = explainer.explain(line);
  if (!flags.html.empty()) check_page_size(e);
  std::optional<Explanation> other;
  if (!flags.contrast.empty()) other = explainer.explain(flags.contrast);
  if (!flags.from_word.empty()) {
    e.from_word = other->from_word = named_word(e, flags.from_word);
  }
  if (beside) other = beside->explain(line);
  std::cout << summary(e) << "\n\n";
  if (flags.contrast.empty() && has_only_documents(e, flags)) {
    std::cout << "This model has no attention over its source to show here.\n";
    return write_documents(flags, e, other);
  }
  const Shown shown = flags.contrast.empty() ? shown_view(e, flags)
                                             : shown_contrast(e, *other, flags);
  std::cout << shown.text;
  write_files(flags, shown);
  write_documents(flags, e, other);
}

void check_flags(const ExplainFlags& flags) {
  check_usage(flags.beside.empty() || !flags.html.empty(),
              "--beside is for --html FILE");
  check_usage(flags.beside.empty() || flags.contrast.empty(),
              "give --beside or --contrast");
  check_usage(flags.from_word.empty() || !flags.contrast.empty(),
              "--from-word is for --contrast SENTENCE");
  check_usage(flags.beam_size >= 1, "--beam-size ", flags.beam_size,
              ": give at least 1");
  if (flags.contrast.empty()) {
    return check_view_options(flags.view, view_options(flags));
  }
  check_usage(flags.view == View::kAlignment,
              "--contrast is a view of its own: leave out --view");
  const ViewOptions o = view_options(flags), preset;
  check_usage(o.head >= -1, "--head ", o.head, ": give at least -1");
  check_usage(o.token == preset.token && o.marks == preset.marks &&
                  o.order == preset.order &&
                  o.from_sentence == preset.from_sentence &&
                  o.to_sentence == preset.to_sentence &&
                  o.dimensions == preset.dimensions,
              "--token, --marks, --order, --from-sentence, --to-sentence and "
              "--dimensions are not for --contrast; see --from-word");
}

// The sentences of standard input. Where files are written there must be one,
// which is known before the first is.
class InputLines {
 public:
  explicit InputLines(bool one) : one_(one) {}

  std::optional<std::string> next() {
    std::optional<std::string> line = read();
    if (!one_ || !line) return line;
    check_usage(!read(), "files are for one sentence, and there are more");
    return line;
  }

 private:
  std::optional<std::string> read() {
    while (const auto line = reader_.next()) {
      std::string text = utf8_line(*line, reader_.place());
      if (!is_blank(text)) return text;
    }
    return {};
  }

  LineReader reader_{"-"};
  bool one_;
};

}  // namespace

void show_views(const std::string& folder, const ExplainFlags& flags) {
  check_flags(flags);
  const Explainer explainer(folder, flags);
  std::optional<Explainer> beside;
  if (!flags.beside.empty()) beside.emplace(flags.beside, flags);
  if (stdin_is_terminal()) log_info("type a sentence");
  InputLines lines(writes_files(flags));
  int count = 0;
  while (const auto text = lines.next()) {
    if (++count > 1) std::cout << "\n";
    show(explainer, beside ? &*beside : nullptr, flags, *text);
    std::cout << std::flush;
  }
  check_data(count > 0, "standard input has no sentence to explain");
}

}  // namespace fovea::cli
