#include "bench/peak_memory.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "fovea/base/check.h"

namespace fovea::bench {

double peak_memory(const std::string& command) {
  int ends[2];
  check(pipe(ends) == 0, "no pipe");
  const pid_t id = fork();
  check(id >= 0, "cannot start ", command);
  if (id == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl(FOVEA_PEAK_PROGRAM, FOVEA_PEAK_PROGRAM, command.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::FILE* answer = fdopen(ends[0], "r");
  double megabytes = 0;
  const int read = std::fscanf(answer, "%lf", &megabytes);
  std::fclose(answer);
  int status = 0;
  check(waitpid(id, &status, 0) == id && status == 0 && read == 1, command,
        " failed");
  return megabytes;
}

}  // namespace fovea::bench
