#pragma once

namespace fovea {

// While one lives, Ctrl-C and SIGTERM do not end the process but are noted, so
// that a long command can save its work and return. A second signal ends it at
// once. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

// The signal noted so far (SIGINT, SIGTERM), or 0. A long loop asks after each
// step.
int stop_signal();

// While one lives, SIGHUP is noted, too: whoever runs for long reads its files
// again.
class HangupSignal {
 public:
  HangupSignal();
  ~HangupSignal();
  HangupSignal(const HangupSignal&) = delete;
  HangupSignal& operator=(const HangupSignal&) = delete;
};

// Whether there was one since it was last asked.
bool take_hangup();

}  // namespace fovea
