#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/train_validation.h"
#include "fovea/base/progress.h"
#include "fovea/io/append_file.h"
#include "fovea/io/tensorboard.h"
#include "fovea/train/trainer.h"

namespace fovea::cli {

// What a run calls its rows.
struct JournalWords {
  const char* speed = "tok/s";
  const char* speed_key = "tokens_per_second";
  const char* loss = "Loss a word";
  const char* samples =
      "Validation sentences, and where the model looks while it writes.";
};
constexpr JournalWords kWordJournal;
constexpr JournalWords kTextJournal{
    "texts/s", "texts_per_second", "Loss a text",
    "Validation texts, and where the model looks, if it pools by attention."};

// Everything that a training run tells: the progress line, history.jsonl,
// TensorBoard's events and report.html.
class TrainJournal {
 public:
  TrainJournal(const std::string& folder, std::string title,
               const TrainerConfig& config,
               const JournalWords& words = kWordJournal);

  void stepped(const StepReport& report);
  void displayed(const StepReport& report);
  // `type` is "valid", or "mean" for that of checkpoints.
  void validated(const std::string& type, int64_t step,
                 const Validation& validation, std::span<const Sample> samples);
  void finish();  // ends the progress line

  // For the time that is left: steps of an epoch, and between validations.
  void expect(int64_t epoch, int64_t validation);

  int64_t bytes() const { return history_.size(); }
  void cut(int64_t bytes);

 private:
  using Numbers = std::vector<std::pair<std::string, double>>;
  void write(const std::string& type, int64_t step, const Numbers& numbers);
  std::string left(int64_t step);
  void write_report(std::span<const Sample> samples);

  std::string folder_, title_;
  JournalWords words_;
  AppendFile history_;
  int64_t max_steps_, max_epochs_;  // 0 if nobody knows
  int64_t epoch_steps_ = 0, valid_steps_ = 0;
  int64_t first_step_ = -1;  // when this process began, at this time
  double first_time_ = 0;
  std::unique_ptr<Progress> progress_;
};

}  // namespace fovea::cli
