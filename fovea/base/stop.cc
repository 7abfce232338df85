#include "fovea/base/stop.h"

#include <signal.h>

#include <atomic>

namespace fovea {
namespace {

std::atomic<int> noted{0}, hangups{0};
static_assert(std::atomic<int>::is_always_lock_free,
              "a signal handler may only touch what needs no lock");

extern "C" void note_signal(int signal) {
  noted = signal;
  ::signal(signal, SIG_DFL);
}

extern "C" void note_hangup(int) { hangups = 1; }

// Handlers run on a stack of their own: oneDNN's products, before 3.11.2, keep
// a pointer into the heap in the register of the stack, where a signal's frame
// would overwrite what others allocated (uxlfoundation/oneDNN#4855). Linux
// gives a process's signal to its first thread, which is the one that watches.
void handle(int signal, void (*handler)(int)) {
  alignas(64) static char stack[1 << 16];  // AMX's registers take 11 KB
  stack_t own{};
  own.ss_sp = stack;
  own.ss_size = sizeof stack;
  ::sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignals::StopSignals() {
  handle(SIGINT, note_signal);
  handle(SIGTERM, note_signal);
}

StopSignals::~StopSignals() {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
}

int stop_signal() { return noted; }

HangupSignal::HangupSignal() { handle(SIGHUP, note_hangup); }
HangupSignal::~HangupSignal() { ::signal(SIGHUP, SIG_DFL); }

bool take_hangup() { return hangups.exchange(0) != 0; }

}  // namespace fovea
