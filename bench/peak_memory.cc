#include "bench/peak_memory.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fovea/base/check.h"

namespace fovea::bench {

double peak_memory(const std::string& command) {
  const pid_t id = fork();
  check(id >= 0, "cannot start ", command);
  if (id == 0) {
    execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  check(wait4(id, &status, 0, &used) == id && status == 0, command, " failed");
  return static_cast<double>(used.ru_maxrss) / 1024;
}

}  // namespace fovea::bench
