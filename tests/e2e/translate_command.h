#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "fovea/base/check.h"
#include "support/command.h"
#include "support/temp_folder.h"
#include "support/translator_folder.h"

namespace fovea::testing {

using Texts = std::vector<std::string>;

// Lines that programs trip over.
inline Texts nasty_lines() {
  std::string long_line, combining = "a", one_word;
  for (int i = 0; i < 5000; ++i) long_line += join("w", i % 7, " ");
  for (int i = 0; i < 700; ++i) combining += "\u0301";
  for (int i = 0; i < 2000; ++i) one_word += static_cast<char>('a' + i % 26);
  return {"the cat sees two birds !",
          "",
          " ",
          "\t \u3000",
          long_line,
          one_word,
          "\U0001f600\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9",
          "e\u0301 n\u0303 " + combining,
          "שלום עולם \u202eabc\u202c مرحبا",
          "\x01\x02\x1b[31m red \x7f",
          "bad \xff\xfe bytes \xe2\x82",
          "...!?,;:--",
          "a\u2028b\u2029c\u0085d",
          std::string("nul \0 byte", 10),
          "carriage\rreturn\r",
          "<unk> <s> </s> ▁",
          "日本語の文章。とても長い！",
          "my dog ||| sees ||| 0-0",
          "{\"text\": \"der Löwe\"}"};
}

inline std::string lines_text(const Texts& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

inline Texts lines_of(const std::string& text) {
  Texts lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// fovea translate with a small model.
class TranslateCommand : public ::testing::Test {
 protected:
  TranslateCommand() : model_(write_model_folder(path("model"))) {}

  std::string path(const std::string& name) const { return folder_.file(name); }

  static Texts arguments(const std::string& command, const Texts& more) {
    Texts all = {command};
    if (std::ranges::find(more, "--threads") == more.end()) {
      all.insert(all.end(), {"--threads", "1"});
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Outcome translate(const Texts& more, const std::string& before = "") const {
    Texts all = {model_, "--beam-size", "2", "--max-length", "8"};
    all.insert(all.end(), more.begin(), more.end());
    return run_command(FOVEA_COMMAND_PATH, arguments("translate", all), before);
  }

  static void expect(const Outcome& o, int code, const std::string& message) {
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_NE(o.err.find(message), std::string::npos) << o.err;
    // The last line says what is wrong, and no other.
    const Texts lines = lines_of(o.err);
    const auto complains = [](const std::string& line) {
      return line.starts_with("fovea: ");
    };
    EXPECT_EQ(std::ranges::count_if(lines, complains), 1) << o.err;
    EXPECT_TRUE(!lines.empty() && complains(lines.back())) << o.err;
  }

  const TempFolder folder_;
  const std::string model_;
};

}  // namespace fovea::testing
