#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace fovea {

// Where a progress line goes. The defaults are standard error and the clock;
// tests put their own in.
struct ProgressOptions {
  std::string unit = "steps";
  int64_t first = 0;  // steps that an earlier run has done
  bool terminal = false;
  std::function<int()> width;       // columns of the terminal
  std::function<double()> seconds;  // a clock that never goes back
  std::function<void(std::string_view)> write;

  static ProgressOptions standard_error();
};

// Shows how far a long loop is: "train 120/500 24% 41.2 steps/s 0:09 left". In
// a terminal one line is rewritten in place, ten times a second at most; else a
// plain line is written every ten seconds. One thread at a time.
class Progress {
 public:
  // A total of 0 means that the end is not known.
  Progress(std::string title, int64_t total,
           ProgressOptions options = ProgressOptions::standard_error());
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `note` follows the numbers: "loss 0.42". `done` never falls.
  void update(int64_t done, std::string_view note = {});

  // Shows the last state and ends the line. The destructor does it otherwise.
  void finish();

 private:
  void show(bool last);
  std::string line() const;

  const std::string title_;
  const int64_t total_;
  const ProgressOptions options_;
  const double start_;
  int64_t done_;
  std::string note_;
  double rate_ = 0;  // steps a second, recent ones weighing most
  double rate_time_;
  int64_t rate_done_;
  double shown_;
  bool finished_ = false;
};

// "0:09", "12:34", "1:02:03".
std::string duration_text(double seconds);

}  // namespace fovea
