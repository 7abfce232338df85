#include "cli/train_journal.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <nlohmann/json.hpp>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/process.h"
#include "fovea/base/terminal.h"
#include "fovea/base/unicode.h"
#include "fovea/explain/report_html.h"
#include "fovea/io/text_file.h"

namespace fovea::cli {
namespace {

using nlohmann::json;

double seconds_since_1970() {
  using namespace std::chrono;
  return duration<double>(system_clock::now().time_since_epoch()).count();
}

std::string history_file(const std::string& folder) {
  return folder + "/history.jsonl";
}

std::string events_file(const std::string& folder) {
  return folder + "/events/events.out.tfevents.fovea";
}

// Of the whole process: that is what a machine must have.
std::string resident_memory() { return join(resident_bytes() >> 20, " MB"); }

std::string text(double value, int digits) {
  return join(std::fixed, std::setprecision(digits), value);
}

// A line of a sample, which a terminal shall not have to break; the report has
// all of it.
void show(const std::string& name, const std::string& value) {
  constexpr int kTime = 11;  // columns of the time before each line of the log
  const std::string line = join("  ", name, value);
  log_info(stderr_is_terminal()
               ? cut_to_columns(line, std::max(20, terminal_width() - kTime))
               : line);
}

// The strongest source token of each target token: "Hund-dog ...".
std::string alignment_text(const Heatmap& map) {
  std::string links;
  const std::vector<int> best =
      map.values.empty() ? std::vector<int>{} : row_argmax(map);
  for (size_t i = 0; i < best.size(); ++i) {
    if (best[i] < 0) continue;
    links += join(links.empty() ? "" : " ", best[i], "-", i);
  }
  return links;
}

// The curves that TensorBoard shows: what the history has, under its type.
void add_scalars(TensorBoardLog& log, const json& line) {
  const std::string type = line.at("type");
  std::vector<Scalar> scalars;
  for (const auto& [key, value] : line.items()) {
    if (!value.is_number() || key == "step" || key == "time") continue;
    scalars.push_back({type + "/" + key, value.get<float>()});
  }
  log.add(line.at("step"), line.at("time"), scalars);
}

// A number of the history: of lines of a type, under a name.
struct Curve {
  const char *type, *key, *name;
};

Chart chart(const std::string& title, const std::vector<json>& lines,
            const std::vector<Curve>& curves) {
  Chart result{.title = title, .x_name = "step"};
  for (const Curve& curve : curves) {
    Series series{.name = curve.name};
    for (const json& line : lines) {
      if (line.at("type") != curve.type || !line.contains(curve.key)) continue;
      series.x.push_back(line.at("step"));
      // A number that is not finite is null in JSON.
      const json& y = line.at(curve.key);
      series.y.push_back(y.is_number() ? y.get<double>() : NAN);
    }
    if (!series.x.empty()) result.series.push_back(std::move(series));
  }
  return result;
}

}  // namespace

TrainJournal::TrainJournal(const std::string& folder, std::string title,
                           const TrainerConfig& config,
                           const JournalWords& words)
    : folder_(folder),
      title_(std::move(title)),
      words_(words),
      history_(history_file(folder)),
      max_steps_(config.max_steps),
      max_epochs_(config.max_epochs) {
  std::filesystem::create_directories(folder + "/events");
}

void TrainJournal::cut(int64_t bytes) {
  check_data(history_.cut_to_bytes(bytes), history_file(folder_),
             ": is shorter than the checkpoint says; use --overwrite to start "
             "anew");
  // The events follow the history.
  std::filesystem::remove(events_file(folder_));
  TensorBoardLog log(events_file(folder_));
  LineReader lines(history_file(folder_));
  while (const auto line = lines.next()) add_scalars(log, json::parse(*line));
}

void TrainJournal::expect(int64_t epoch, int64_t validation) {
  epoch_steps_ = epoch;
  valid_steps_ = validation;
}

// To the end if there is a last epoch, else to the next validation. If there is
// a last step, the progress line has it already.
std::string TrainJournal::left(int64_t step) {
  const double now = seconds_since_1970();
  if (first_step_ < 0) {
    first_step_ = step;
    first_time_ = now;
  }
  const int64_t end = max_epochs_ > 0 ? max_epochs_ * epoch_steps_
                      : valid_steps_ > 0
                          ? (step / valid_steps_ + 1) * valid_steps_
                          : 0;
  if (max_steps_ > 0 || step == first_step_ || end <= step) return "";
  const double seconds = (now - first_time_) * static_cast<double>(end - step) /
                         static_cast<double>(step - first_step_);
  return join(" about ", duration_text(seconds),
              max_epochs_ > 0 ? " left" : " to validation");
}

void TrainJournal::stepped(const StepReport& r) {
  if (!progress_) {
    ProgressOptions options = ProgressOptions::standard_error();
    options.first = r.step - 1;
    progress_ = std::make_unique<Progress>("train", max_steps_, options);
  }
  // Behind the last batch the place is that of an epoch that never comes.
  const std::string epoch =
      max_epochs_ > 0
          ? join(std::min(r.epoch + 1, max_epochs_), "/", max_epochs_)
          : join(r.epoch + 1);
  progress_->update(r.step, join("epoch ", epoch, " loss ", text(r.loss, 3),
                                 " ", text(r.rows_per_second / 1000, 1), "k ",
                                 words_.speed, " lr ", std::setprecision(3),
                                 r.rate, " ", resident_memory(), left(r.step)));
}

void TrainJournal::displayed(const StepReport& r) {
  write("train", r.step,
        {{"epoch", static_cast<double>(r.epoch)},
         {"loss", r.loss},
         {"nll", r.nll},
         {"lr", r.rate},
         {"gradient_norm", r.gradient_norm},
         {words_.speed_key, r.rows_per_second}});
}

void TrainJournal::validated(const std::string& type, int64_t step,
                             const Validation& validation,
                             std::span<const Sample> samples) {
  write(type, step, validation.numbers);
  std::string numbers;
  for (const auto& [name, value] : validation.numbers) {
    numbers += join(" ", name, " ", text(value, 2));
  }
  log_info("step ", step, ": ", type, numbers);
  for (const Sample& s : samples) {
    show("source    ", s.source);
    show("output    ", s.output);
    show("reference ", s.reference);
    const std::string links = alignment_text(s.alignment);
    if (!links.empty()) show("alignment ", links);
  }
  write_report(samples);
}

void TrainJournal::write(const std::string& type, int64_t step,
                         const Numbers& numbers) {
  json line = {{"type", type}, {"step", step}, {"time", seconds_since_1970()}};
  for (const auto& [name, value] : numbers) line[name] = value;
  history_.append_line(line.dump());
  TensorBoardLog log(events_file(folder_));
  add_scalars(log, line);
}

// Its curves are what the history has.
void TrainJournal::write_report(std::span<const Sample> samples) {
  std::vector<json> lines;
  LineReader reader(history_file(folder_));
  while (const auto line = reader.next()) lines.push_back(json::parse(*line));
  ReportSection learning{.title = "Learning"};
  learning.charts = {
      chart(words_.loss, lines,
            {{"train", "nll", "training"}, {"valid", "loss", "validation"}}),
      chart("Score of validations", lines,
            {{"valid", "bleu", "BLEU"},
             {"valid", "chrf", "chrF"},
             {"valid", "accuracy", "accuracy"}}),
      chart("Learning rate", lines, {{"train", "lr", "learning rate"}}),
      chart("Length of the gradient", lines,
            {{"train", "gradient_norm", "gradient"}})};
  ReportSection shown{.title = "Samples", .note = words_.samples};
  TextTable texts{.columns = {"source", "output", "reference"}};
  for (const Sample& s : samples) {
    texts.rows.push_back({s.source, s.output, s.reference});
    if (!s.alignment.values.empty()) shown.maps.push_back(s.alignment);
  }
  shown.tables.push_back(std::move(texts));
  replace_file(folder_ + "/report.html",
               report_html({.title = "Training of " + title_,
                            .sections = {learning, shown}}));
}

void TrainJournal::finish() {
  if (progress_) progress_->finish();
}

}  // namespace fovea::cli
