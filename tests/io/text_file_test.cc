#include "fovea/io/text_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "fovea/base/check.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using testing::bytes_of;
using testing::TempFolder;

// What an Error says, and of which kind.
template <class Call>
std::string complaint(ErrorKind kind, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "no error";
}

std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  while (const auto line = reader.next()) lines.emplace_back(*line);
  return lines;
}

// Files of this process cannot grow beyond a size, as on a full disk.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) : signal_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  sighandler_t signal_;
};

TEST(TextFile, ReadsAllBytes) {
  const TempFolder folder;
  std::string bytes(700001, 'x');
  bytes[5] = '\0';
  bytes[400000] = '\n';
  EXPECT_EQ(read_text(folder.write("a", bytes)), bytes);
  EXPECT_EQ(read_text(folder.write("empty", "")), "");
}

TEST(TextFile, SaysWhyAFileCannotBeRead) {
  const TempFolder folder;
  const std::string file = folder.write("a", "1");
  const auto reading = [](const std::string& path) {
    return complaint(ErrorKind::kData, [&] { read_text(path); });
  };
  EXPECT_EQ(reading(folder.file("b")),
            folder.file("b") + ": there is no such file");
  EXPECT_EQ(reading(file + "/c"), file + "/c: there is no such file");
  EXPECT_EQ(reading(folder.path()),
            folder.path() + ": is a folder, not a file");
  EXPECT_NE(reading(folder.file(std::string(300, 'n'))).find("too long"),
            std::string::npos);
}

TEST(ReplaceFile, ReplacesAsAWholeAndLeavesNothingElse) {
  const TempFolder folder;
  replace_file(folder.file("a"), "first");
  EXPECT_EQ(bytes_of(folder.file("a")), "first");
  folder.write("a.part", "of a run that was killed");
  replace_file(folder.file("a"), "second\n");
  EXPECT_EQ(bytes_of(folder.file("a")), "second\n");
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.part")));
}

TEST(ReplaceFile, KeepsPermissionsAndLinks) {
  const TempFolder folder;
  const std::string file = folder.write("a", "old");
  ::chmod(file.c_str(), 0640);
  std::filesystem::create_symlink("a", folder.file("link"));
  replace_file(folder.file("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(bytes_of(file), "new");
  struct stat about {};
  ASSERT_EQ(::stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0640u);
}

TEST(ReplaceFile, KeepsTheOldFileWhenTheDiskIsFull) {
  const TempFolder folder;
  const std::string file = folder.write("a", "old");
  const std::string large(100000, 'x');
  {
    const SizeLimit limit(50000);
    EXPECT_EQ(
        complaint(ErrorKind::kResource, [&] { replace_file(file, large); }),
        file + ": cannot be written: File too large");
  }
  EXPECT_EQ(bytes_of(file), "old");
  EXPECT_FALSE(std::filesystem::exists(file + ".part"));
}

TEST(ReplaceFile, WritesToDevicesDirectly) {
  replace_file("/dev/null", "nothing");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(
      complaint(ErrorKind::kResource, [] { replace_file("/dev/full", "x"); }),
      "/dev/full: cannot be written: No space left on device");
}

TEST(ReplaceFile, SaysWhyItCannotWrite) {
  const TempFolder folder;
  const auto writing = [](const std::string& path) {
    return complaint(ErrorKind::kRun, [&] { replace_file(path, "x"); });
  };
  EXPECT_EQ(writing(folder.path()),
            folder.path() + ": is a folder, not a file");
  EXPECT_EQ(
      writing(folder.file("no/a")),
      folder.file("no/a") + ": cannot be written: No such file or directory");
}

TEST(LineReader, EndsLinesAtNewlinesOnly) {
  const TempFolder folder;
  const std::string odd = "b\v\f\xe2\x80\xa8" + std::string("\0d", 2);
  EXPECT_EQ(lines_of(folder.write("a", "a\r\n\n" + odd + "\nlast")),
            (std::vector<std::string>{"a\r", "", odd, "last"}));
  EXPECT_EQ(lines_of(folder.write("b", "x\n")), std::vector<std::string>{"x"});
  EXPECT_TRUE(lines_of(folder.write("c", "")).empty());
  EXPECT_EQ(lines_of(folder.write("d", "\n")), std::vector<std::string>{""});
}

TEST(LineReader, ReadsLinesLongerThanItsBuffer) {
  const TempFolder folder;
  std::vector<std::string> lines;
  std::string text;
  for (size_t length : {0u, 1u, 300000u, 5u, 1000000u, 262144u, 262143u, 7u}) {
    lines.emplace_back(length, static_cast<char>('a' + lines.size()));
    text += lines.back() + "\n";
  }
  EXPECT_EQ(lines_of(folder.write("a", text)), lines);
}

TEST(LineReader, NumbersLines) {
  const TempFolder folder;
  LineReader reader(folder.write("a", "x\ny\n"));
  reader.next();
  EXPECT_EQ(reader.number(), 1);
  reader.next();
  EXPECT_EQ(reader.place(), folder.file("a") + ":2");
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.number(), 2);
}

TEST(LineReader, ReadsStandardInput) {
  const TempFolder folder;
  ASSERT_TRUE(std::freopen(folder.write("a", "x\ny").c_str(), "r", stdin));
  EXPECT_EQ(lines_of("-"), (std::vector<std::string>{"x", "y"}));
}

TEST(LineReader, KnowsWhetherALineHasArrived) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto send = [&](std::string_view text) {
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), std::ssize(text));
  };
  LineReader reader("/proc/self/fd/" + std::to_string(ends[0]));
  EXPECT_FALSE(reader.ready());
  send("a\nhalf a li");
  EXPECT_TRUE(reader.ready());
  EXPECT_EQ(reader.next(), "a");
  EXPECT_FALSE(reader.ready());
  send("ne\nlast");
  EXPECT_TRUE(reader.ready());
  EXPECT_EQ(reader.next(), "half a line");
  EXPECT_FALSE(reader.ready(1));
  ::close(ends[1]);
  EXPECT_TRUE(reader.ready());
  EXPECT_EQ(reader.next(), "last");
  EXPECT_TRUE(reader.ready());
  EXPECT_FALSE(reader.next());
  ::close(ends[0]);
}

TEST(LineReader, RefusesFolders) {
  const TempFolder folder;
  EXPECT_EQ(complaint(ErrorKind::kData, [&] { LineReader(folder.path()); }),
            folder.path() + ": is a folder, not a file");
}

}  // namespace
}  // namespace fovea
