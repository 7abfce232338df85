// fovea train --memory, as the system counts it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>

#include "fovea/base/rng.h"
#include "support/command.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;

struct Used {
  int code = -1;
  int64_t megabytes = 0;  // resident at most
};

Used run_and_measure(std::vector<std::string> arguments,
                     const std::string& log) {
  std::string command = FOVEA_COMMAND_PATH;
  std::vector<char*> words = {command.data()};
  for (std::string& a : arguments) words.push_back(a.data());
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(file, 1);
    ::dup2(file, 2);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  int status = 0;
  struct rusage usage {};
  ::wait4(child, &status, 0, &usage);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, usage.ru_maxrss / 1024};
}

class TrainMemory : public ::testing::Test {
 protected:
  // Lines of up to so many words, of which there are many: a megabyte of text.
  void write(const std::string& name, int lines, int longest) const {
    std::ostringstream text;
    for (int i = 0; i < lines; ++i) {
      const RandomKey key = RandomKey(7).with(i);
      const auto words = longest / 2 + random_below(key, 0, longest / 2);
      for (uint32_t w = 0; w < words; ++w) {
        text << (w > 0 ? " " : "") << "w" << random_below(key, w + 1, 3000);
      }
      text << "\n";
    }
    folder_.write(name, text.str());
  }

  void expect_within(const std::string& megabytes,
                     std::vector<std::string> more) {
    const std::string text = folder_.file("text"),
                      valid = folder_.file("valid");
    std::vector<std::string> all = {"train",
                                    "--threads",
                                    "2",
                                    "--src",
                                    text,
                                    "--tgt",
                                    text,
                                    "--valid-src",
                                    valid,
                                    "--valid-tgt",
                                    valid,
                                    "--text-unit",
                                    "words",
                                    "--memory",
                                    megabytes,
                                    "--max-steps",
                                    "4",
                                    "--valid-freq",
                                    "4",
                                    "--overwrite",
                                    "--max-length",
                                    "100",
                                    "--preset",
                                    "transformer-mini",
                                    "--out",
                                    folder_.file("model")};
    all.insert(all.end(), more.begin(), more.end());
    const Used used = run_and_measure(all, folder_.file("log"));
    EXPECT_EQ(used.code, 0) << bytes_of(folder_.file("log"));
#if !defined(FOVEA_SANITIZED)  // sanitizers need memory of their own
    EXPECT_LE(used.megabytes, std::stoi(megabytes))
        << bytes_of(folder_.file("log"));
    // And most of it is used.
    EXPECT_GT(used.megabytes, std::stoi(megabytes) / 2);
#endif
  }

  TempFolder folder_;
};

TEST_F(TrainMemory, IsABoundWhateverAttentionIsAndHoweverLongSentencesAre) {
  write("text", 1000, 90);
  write("valid", 4, 90);
  expect_within("150", {});
  expect_within("150", {"--attend.score", "additive"});
  expect_within("200", {"--preset", "rnnsearch-tiny"});
  std::string links;
  for (int i = 0; i < 1000; ++i) links += "0-0 1-1 2-2\n";
  expect_within("200", {"--guided-alignment", folder_.write("links", links)});
}

}  // namespace
}  // namespace fovea
