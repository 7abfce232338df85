#include "support/command.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

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

}  // namespace fovea::testing
