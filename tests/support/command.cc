#include "support/command.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "fovea/base/check.h"

namespace fovea::testing {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Outcome run_command(const std::string& program,
                    const std::vector<std::string>& arguments,
                    const std::string& before) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      join("fovea-test-", ::getpid(), "-", std::rand());
  std::filesystem::create_directories(folder);
  std::string line = join(before, " '", program, "'");
  for (const std::string& argument : arguments) line += " '" + argument + "'";
  line = join("{ ", line, "; } > ", folder.string(), "/out 2> ",
              folder.string(), "/err");
  const int status = std::system(line.c_str());
  Outcome outcome{
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
      contents(folder / "out"), contents(folder / "err")};
  std::filesystem::remove_all(folder);
  return outcome;
}

int run_and_signal(const std::string& program,
                   const std::vector<std::string>& arguments, int milliseconds,
                   int signal) {
  std::vector<std::string> all = arguments;
  all.insert(all.begin(), program);
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> argv;
    for (std::string& a : all) argv.push_back(a.data());
    argv.push_back(nullptr);
    ::freopen("/dev/null", "w", stderr);
    ::execv(argv[0], argv.data());
    ::_exit(99);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace fovea::testing
