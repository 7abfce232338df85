#include "fovea/base/stop.h"

#include <atomic>
#include <csignal>

namespace fovea {
namespace {

std::atomic<int> noted{0}, hangups{0};
static_assert(std::atomic<int>::is_always_lock_free,
              "a signal handler may only touch what needs no lock");

extern "C" void note_signal(int signal) {
  noted = signal;
  std::signal(signal, SIG_DFL);
}

extern "C" void note_hangup(int) { hangups = 1; }

}  // namespace

StopSignals::StopSignals() {
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
}

StopSignals::~StopSignals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

int stop_signal() { return noted; }

HangupSignal::HangupSignal() { std::signal(SIGHUP, note_hangup); }
HangupSignal::~HangupSignal() { std::signal(SIGHUP, SIG_DFL); }

bool take_hangup() { return hangups.exchange(0) != 0; }

}  // namespace fovea
