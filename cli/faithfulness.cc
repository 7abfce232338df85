#include "cli/faithfulness.h"

#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/faithfulness_report.h"
#include "cli/utf8_line.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/progress.h"
#include "fovea/base/terminal.h"
#include "fovea/data/labelled.h"
#include "fovea/data/pharaoh.h"
#include "fovea/explain/render_png.h"
#include "fovea/io/text_file.h"
#include "fovea/models/box.h"
#include "fovea/models/folder.h"

namespace fovea::cli {
namespace {

constexpr int kTexts = 500, kSequenceTexts = 20;
constexpr int kPairsTogether = 2;

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  LineReader reader(path);
  while (const auto line = reader.next()) {
    lines.push_back(utf8_line(*line, reader.place()));
  }
  return lines;
}

// Evenly spread over the file.
template <class T>
std::vector<T> spread(std::vector<T> all, size_t wanted) {
  if (all.size() <= wanted) return all;
  std::vector<T> some;
  for (size_t i = 0; i < wanted; ++i) {
    some.push_back(std::move(all[i * all.size() / wanted]));
  }
  return some;
}

// A text of the data and the words that decide.
struct Line {
  std::string first, second;  // label and text, or source and target
  WordLinks evidence = {};
};

WordLinks evidence_at(const std::string& file, size_t line,
                      const std::string& text) {
  const auto links = read_pharaoh(text);
  check_data(links.has_value(), file, ":", line + 1,
             ": expected words that decide, as 3-0");
  return *links;
}

std::vector<Line> read_lines(const FaithfulnessFlags& flags, bool labelled) {
  const std::vector<std::string> texts = lines_of(flags.data);
  std::vector<std::string> links;
  if (!flags.evidence.empty()) {
    links = lines_of(flags.evidence);
    check_data(links.size() == texts.size(), flags.evidence, ": has ",
               links.size(), " lines, ", flags.data, " has ", texts.size());
  }
  std::vector<Line> lines;
  for (size_t i = 0; i < texts.size(); ++i) {
    Line line;
    const auto read = read_labelled(texts[i]);
    const size_t tab = texts[i].find('\t');
    if (labelled && read) {
      line = {std::string(read->label), std::string(read->text)};
    } else if (!labelled && tab != std::string::npos) {
      line = {texts[i].substr(0, tab), texts[i].substr(tab + 1)};
    } else {
      continue;
    }
    if (!links.empty())
      line.evidence = evidence_at(flags.evidence, i, links[i]);
    lines.push_back(std::move(line));
  }
  check_data(!lines.empty(), flags.data,
             labelled ? ": holds no labelled line"
                      : ": holds no line of source, tab, target");
  const int preset = labelled ? kTexts : kSequenceTexts;
  return spread(std::move(lines), flags.texts > 0 ? flags.texts : preset);
}

// The tokens of the words that decide.
std::vector<int> evidence_of(const Line& line, const Tokenizer& text) {
  const std::vector<Piece> pieces = text.pieces(line.second);
  const Piece label{.id = 0, .begin = 0, .end = 1};
  std::vector<int> tokens;
  for (const auto& [token, of] :
       token_links(line.evidence, {line.second, pieces}, {"x", {&label, 1}})) {
    tokens.push_back(token);
  }
  return tokens;
}

std::vector<TestText> labelled_texts(const FaithfulnessFlags& flags,
                                     const ClassifierModel& model) {
  std::vector<TestText> texts;
  int64_t unknown = 0;
  for (const Line& line : read_lines(flags, true)) {
    const auto label = std::ranges::find(model.labels, line.first);
    std::vector<int> ids = model.text.encode(line.second);
    if (label == model.labels.end() || ids.empty()) {
      ++unknown;
      continue;
    }
    texts.push_back({.source = std::move(ids),
                     .label = static_cast<int>(label - model.labels.begin()),
                     .evidence = evidence_of(line, model.text)});
  }
  if (unknown > 0) {
    log_warning(unknown,
                " lines are left out: empty, or with a label that the "
                "model does not know");
  }
  check_data(!texts.empty(), flags.data, ": no label is known to the model");
  return texts;
}

std::vector<TestText> pair_texts(const FaithfulnessFlags& flags,
                                 const TranslationModel& model) {
  std::vector<TestText> texts;
  for (const Line& line : read_lines(flags, false)) {
    TestText text{.source = model.source.encode(line.first),
                  .target = model.target.encode(line.second)};
    if (!text.source.empty() && !text.target.empty()) {
      texts.push_back(std::move(text));
    }
  }
  check_data(!texts.empty(), flags.data, ": all pairs are empty");
  return texts;
}

FaithfulnessReport run_tests(const TestedModel& model,
                             const std::vector<TestText>& texts,
                             const EndMarks& ends,
                             const FaithfulnessFlags& flags) {
  Progress progress("test", std::ssize(texts));
  FaithfulnessReport report;
  report.cases = test_weights(model, texts, ends, flags.tests,
                              [&](int64_t done) { progress.update(done); });
  progress.finish();
  report.summary = summarise(report.cases, flags.tests.adversary.threshold);
  report.summary.data = flags.data;
  report.summary.layer = model.layer();
  report.summary.head = flags.tests.head;
  return report;
}

FaithfulnessReport test_classifier(const std::string& folder,
                                   const FaithfulnessFlags& flags) {
  const ClassifierModel model = load_unpacked_classifier(model_files(folder));
  if (!flags.retraining.train.empty()) check_retraining(flags.retraining);
  const std::vector<TestText> texts = labelled_texts(flags, model);
  const auto tested = tested_classifier(*model.model);
  check_usage(flags.layer.empty() || flags.layer == tested->layer(), "--layer ",
              flags.layer, ": of a classifier ", tested->layer(),
              " can be tested");
  FaithfulnessReport report =
      run_tests(*tested, texts, {.source = model.text.end()}, flags);
  report.outcomes = model.labels;
  const std::string& encoder = model.config.model.encode.kind;
  report.summary.tokenwise = encoder == "mlp" || encoder == "none";
  if (flags.retraining.train.empty()) return report;
  std::unique_ptr<Progress> progress;
  report.retrained = retrain(
      model, texts, flags.retraining,
      [&](int64_t done, int64_t all) {
        if (!progress) progress = std::make_unique<Progress>("train", all);
        progress->update(done);
      },
      report.summary);
  return report;
}

FaithfulnessReport test_sequence_model(const std::string& folder,
                                       const FaithfulnessFlags& flags) {
  check_usage(flags.retraining.train.empty(),
              "--train: tests that train again are for classifiers only");
  check_usage(flags.evidence.empty(), "--evidence is for classifiers only");
  const TranslationModel model =
      load_unpacked_translation_model(model_files(folder));
  const std::vector<TestText> texts = pair_texts(flags, model);
  const auto tested = tested_sequence_model(*model.model, flags.layer);
  // A pair takes seconds: small batches keep threads busy and show progress.
  FaithfulnessFlags few = flags;
  few.tests.batch_size = std::min(flags.tests.batch_size, kPairsTogether);
  FaithfulnessReport report = run_tests(
      *tested, texts,
      {.source = model.source.end(), .target = model.target.end()}, few);
  report.summary.is_sequence = true;
  return report;
}

void write_pictures(const FaithfulnessReport& report,
                    const FaithfulnessFiles& files) {
  if (!files.svg.empty()) {
    replace_file(files.svg, report_svg(report, files.theme));
  }
  if (!files.png.empty()) {  // no reader's system to follow
    const bool is_auto = files.theme == SvgTheme::kAuto;
    replace_file(files.png,
                 render_png(report_svg(
                     report, is_auto ? SvgTheme::kLight : files.theme)));
  }
  if (!files.html.empty()) replace_file(files.html, report_page(report));
}

}  // namespace

void test_faithfulness(const std::string& folder,
                       const FaithfulnessFlags& flags,
                       const FaithfulnessFiles& files) {
  check_usage(flags.texts >= 0, "--texts ", flags.texts, ": give at least 0");
  check_usage(!flags.save || folder != kBoxName,
              "--save: nothing can be saved beside the model in the box");
  const bool classifies = task_of(model_files(folder)) == "classify";
  FaithfulnessReport report = classifies ? test_classifier(folder, flags)
                                         : test_sequence_model(folder, flags);
  report.summary.weights_hash = weights_hash(model_files(folder));
  std::cout << report_text(report, terminal_width());
  if (!flags.json.empty()) replace_file(flags.json, report_json(report));
  write_pictures(report, files);
  if (!flags.save) return;
  const std::string file = folder + "/" + kFaithfulnessFile;
  replace_file(file, faithfulness_json(report.summary));
  log_info("saved ", file);
}

}  // namespace fovea::cli
