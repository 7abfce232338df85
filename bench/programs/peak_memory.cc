// peak_memory COMMAND
//
// Runs a shell command, whose output is dropped, and prints the most memory
// that it had, in megabytes. A process counts as large as the one that starts
// it, so this small one does.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <string>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const pid_t id = fork();
  if (id == 0) {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    const std::string command = std::string("exec ") + arguments[1];
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  if (id < 0 || wait4(id, &status, 0, &used) != id || status != 0) return 1;
  std::cout << static_cast<double>(used.ru_maxrss) / 1024 << std::endl;
}
