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

// Everything that a training run tells: the progress line, history.jsonl,
// TensorBoard's events and report.html.
class TrainJournal {
 public:
  // `steps` is the last one, or 0 if nobody knows.
  TrainJournal(const std::string& folder, std::string title, int64_t steps);

  void stepped(const StepReport& report);
  void displayed(const StepReport& report);
  // `type` is "valid", or "mean" for that of checkpoints.
  void validated(const std::string& type, int64_t step,
                 const Validation& validation, std::span<const Sample> samples);
  void finish();  // ends the progress line

  int64_t bytes() const { return history_.size(); }
  void cut(int64_t bytes);

 private:
  using Numbers = std::vector<std::pair<std::string, double>>;
  void write(const std::string& type, int64_t step, const Numbers& numbers);
  void write_report(std::span<const Sample> samples);

  std::string folder_, title_;
  AppendFile history_;
  int64_t total_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace fovea::cli
