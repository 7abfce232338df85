#include "fovea/data/line_file.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"
#include "support/text_folder.h"

namespace fovea {
namespace {

TEST(LineBlock, EndsLinesAtNewlinesOnly) {
  const std::string text("a\rb\0c\u2028d\n\nlast", 15);
  const LineBlock block(text);
  ASSERT_EQ(block.size(), 3);
  EXPECT_EQ(block[0], std::string_view("a\rb\0c\u2028d", 9));
  EXPECT_EQ(block[1], "");
  EXPECT_EQ(block[2], "last");
  EXPECT_EQ(LineBlock("").size(), 0);
  EXPECT_EQ(LineBlock("\n").size(), 1);
  EXPECT_EQ(LineBlock("a\n").size(), 1);
}

TEST(LineFile, ReadsAnyRunOfLines) {
  const testing::TextFolder folder;
  for (const int count : {0, 1, 63, 64, 65, 1000}) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += join("line ", i, std::string(i % 7, ' '), "\n");
    }
    if (count == 65) text.pop_back();  // the last one without its newline
    const LineFile file(folder.write("f", text));
    EXPECT_EQ(file.lines(), count);
    for (int64_t first = 0; first < count; first += 64) {
      for (const int64_t size : {64, 128, 2048}) {
        const LineBlock block = file.read(first, size);
        ASSERT_EQ(block.size(), std::min<int64_t>(size, count - first));
        for (int64_t i = 0; i < block.size(); ++i) {
          EXPECT_EQ(block[i], join("line ", first + i,
                                   std::string((first + i) % 7, ' ')));
        }
      }
    }
  }
}

TEST(LineFile, FindsLinesBehindAVeryLongOne) {
  const testing::TextFolder folder;
  std::string text(3 << 20, 'x');
  for (int i = 0; i < 100; ++i) text += join("\n", i);
  const LineFile file(folder.write("f", text));
  EXPECT_EQ(file.lines(), 101);
  EXPECT_EQ(file.read(64, 64)[0], "63");
}

TEST(LineFile, NoticesThatAFileHasChanged) {
  const testing::TextFolder folder;
  const LineFile file(folder.write("f", "one\ntwo\n"));
  folder.write("f", "o\nn\ne\ntwo\n");
  EXPECT_THROW(file.read(0, 64), Error);
  folder.write("f", "one\n");
  EXPECT_THROW(file.read(0, 64), Error);
}

}  // namespace
}  // namespace fovea
