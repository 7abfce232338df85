// fovea translate, as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "e2e/translate_command.h"
#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "fovea/io/text_file.h"
#include "support/effort.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using nlohmann::json;
namespace fs = std::filesystem;

class LongTranslateBatches : public TranslateCommand {
 protected:
  std::string output(const Texts& way, const std::string& batch,
                     const std::string& threads) const {
    Texts flags = {path("in"), "-q",        "--batch-size",
                   batch,      "--threads", threads};
    flags.insert(flags.end(), way.begin(), way.end());
    const Outcome o = translate(flags);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.out;
  }

  // What comes out for the file "in", the same for these sizes of batches, each
  // with these threads.
  std::string expect_same(const Texts& way, const Texts& batches,
                          const Texts& threads) const {
    const std::string first = output(way, batches[0], threads[0]);
    for (const std::string& batch : batches) {
      for (const std::string& some : threads) {
        if (&batch == batches.data() && &some == threads.data()) continue;
        EXPECT_TRUE(output(way, batch, some) == first)
            << "batch " << batch << ", " << some << " threads, "
            << ::testing::PrintToString(way);
      }
    }
    return first;
  }

  void write_shortlist() const {
    folder_.write("src", "the cat\na small dog\nmy dog sees\ntwo birds\n");
    folder_.write("tgt", "der Löwe\nmy dog\nsieht two\nthe tree\n");
    EXPECT_EQ(run_command(FOVEA_COMMAND_PATH,
                          {"shortlist", model_, "--src", path("src"), "--tgt",
                           path("tgt"), "--each", "3", "--frequent", "5"})
                  .code,
              0);
  }
};

TEST_F(TranslateCommand, NLinesInGiveNLinesOut) {
  const Texts in = nasty_lines();
  folder_.write("in", lines_text(in));
  const Outcome o = translate({path("in")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(is_utf8(o.out));
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), std::ssize(in));
  const Texts out = lines_of(o.out);
  for (size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(is_blank(out[i]), is_blank(in[i])) << i;
  }
  EXPECT_NE(o.err.find("in:5: longer than --max-input 256"), std::string::npos)
      << o.err;
  EXPECT_NE(o.err.find("in:11: not UTF-8"), std::string::npos) << o.err;
}

TEST_F(TranslateCommand, TheLastLineNeedsNoEndAndAnEmptyInputGivesNothing) {
  folder_.write("in", "the cat\nmy dog");
  EXPECT_EQ(lines_of(translate({path("in")}).out).size(), 2u);
  folder_.write("empty", "");
  const Outcome o = translate({path("empty")});
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.out, "");
}

// Contract 2.
TEST_F(LongTranslateBatches, WritesTheSameBytesForAnyBatchSizeAndThreads) {
  folder_.write("in", lines_text(nasty_lines()));
  write_shortlist();
  const Texts drawn = {"--sample", "--top-k", "20", "--shortlist"};
  std::vector<Texts> ways = {
      {"--precision", "float32", "--n-best", "2", "--alignment", "0.2"}};
  for (const char* precision : {"float32", "int8"}) {
    ways.push_back({"--precision", precision});
    ways.push_back({"--precision", precision, "--shortlist"});
    ways.push_back({"--precision", precision});
    ways.back().insert(ways.back().end(), drawn.begin(), drawn.end());
  }
  for (const Texts& way : ways) {
    expect_same(way, {"1", "7", "64"}, {"1", "2", "4"});
  }
}

// Contracts 1 and 2 on a file of some size, all of whose lines differ but the
// blank ones; each of the longest comes once.
TEST_F(LongTranslateBatches, TenThousandNastyLinesComeOutInOrder) {
  const Texts some = nasty_lines();
  Texts in;
  for (size_t i = 0; std::ssize(in) < effort(10000, 500); ++i) {
    const std::string& line = some[i % some.size()];
    if (line.size() > 100 && i >= some.size()) continue;
    in.push_back(is_blank(line) ? line : join(line, " w", i));
  }
  folder_.write("in", lines_text(in));
  write_shortlist();
  for (const char* precision : {"float32", "int8"}) {
    for (const bool sample : {false, true}) {
      for (const bool shortlist : {false, true}) {
        Texts way = {"--max-length", "3", "--precision", precision};
        if (sample) way.insert(way.end(), {"--sample", "--top-k", "20"});
        if (shortlist) way.push_back("--shortlist");
        const bool all = shortlist == sample;
        const Texts out = lines_of(expect_same(
            way, {"64", "7"}, all ? Texts{"1", "2", "4"} : Texts{"2"}));
        ASSERT_EQ(out.size(), in.size());
        // Three tokens that are drawn may be blank.
        for (size_t i = 0; i < in.size() && !sample; ++i) {
          ASSERT_EQ(is_blank(out[i]), is_blank(in[i])) << i << ": " << in[i];
        }
      }
    }
  }
}

// One by one, which takes long.
TEST_F(LongTranslateBatches, ThousandNastyLinesComeOutAsTheyDoAlone) {
  const Texts some = nasty_lines();
  Texts in;
  for (size_t i = 0; std::ssize(in) < effort(1000, 100); ++i) {
    const std::string& line = some[i % some.size()];
    if (line.size() < 100) in.push_back(join(line, " w", i));
  }
  folder_.write("in", lines_text(in));
  for (const char* precision : {"float32", "int8"}) {
    expect_same({"--precision", precision}, {"64", "1"}, {"1", "4"});
  }
}

// A line that is wrong takes none of those before it away.
TEST_F(TranslateCommand, WritesWhatComesBeforeAWrongLine) {
  folder_.write("in", "{\"text\": \"the cat\"}\n{\"text\": \"my dog\"}\n{}\n");
  const Outcome printed = translate({path("in"), "--json"});
  expect(printed, 3, "in:3: the object has no \"text\"");
  EXPECT_EQ(lines_of(printed.out).size(), 2u);
  expect(translate({path("in"), "--json", "-o", path("out")}), 3, "in:3");
  EXPECT_EQ(read_text(path("out.part")), printed.out);
}

TEST_F(TranslateCommand, PartsAreThoseOfThisTranslation) {
  folder_.write("in", R"({"text": "the cat", "parts": 3})");
  const Outcome o = translate({path("in"), "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_FALSE(json::parse(o.out).contains("parts"));
}

// Positions that were not learned are in no translation and no part.
TEST_F(TranslateCommand, KeepsWithinLearnedPositions) {
  ModelFolderConfig config;
  config.learned_positions = 12;
  const std::string model = write_model_folder(path("learned"), config);
  std::string line;
  for (int i = 0; i < 40; ++i) line += "the cat ";
  const auto run = [&](const Texts& more) {
    Texts all = {model};
    all.insert(all.end(), more.begin(), more.end());
    return run_command(FOVEA_COMMAND_PATH, arguments("translate", all));
  };
  folder_.write("in", "my dog\n" + line + "\n");
  for (const Texts& way : {Texts{}, {"--max-input", "500"}}) {
    Texts flags = {path("in")};
    flags.insert(flags.end(), way.begin(), way.end());
    const Outcome o = run(flags);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(lines_of(o.out).size(), 2u);
  }
  folder_.write("pairs", "my dog\tder\n" + line + "\tder\n");
  expect(run_command(FOVEA_COMMAND_PATH,
                     arguments("score", {model, path("pairs")})),
         3, "learned positions for 11");
}

TEST_F(TranslateCommand, AShortlistBelongsToItsSentence) {
  folder_.write("src", "the cat\na small dog\nmy dog sees\ntwo birds\n");
  folder_.write("tgt", "der Löwe\nmy dog\nsieht two\nthe tree\n");
  expect(translate({path("src"), "--shortlist"}), 2, "fovea shortlist");
  ASSERT_EQ(run_command(FOVEA_COMMAND_PATH,
                        {"shortlist", model_, "--src", path("src"), "--tgt",
                         path("tgt"), "--each", "3", "--frequent", "5"})
                .code,
            0);
  folder_.write("prefixes", "zebra\n\n\n\n");
  const auto run = [&](const char* batch) {
    return translate({path("src"), "--shortlist", "--batch-size", batch,
                      "--prefix-file", path("prefixes")});
  };
  const Outcome alone = run("1");
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_TRUE(alone.out.starts_with("zebra")) << alone.out;
  EXPECT_EQ(run("64").out, alone.out);
  EXPECT_NE(translate({path("src")}).out, alone.out);
}

TEST_F(TranslateCommand, ASeedGivesItsOwnTexts) {
  folder_.write("in", "the cat sees\n");
  const auto drawn = [&](const char* seed) {
    return translate({path("in"), "--sample", "--seed", seed}).out;
  };
  EXPECT_EQ(drawn("1"), drawn("1"));
  EXPECT_NE(drawn("1"), drawn("2"));
}

TEST_F(TranslateCommand, TranslatesALineOfAPipeBeforeTheNextComes) {
  const std::string fifo = path("fifo"), out = path("out");
  const std::string script =
      join("mkfifo ", fifo, "; { sleep 0.2; printf 'the cat\\nmy d'; ",
           "for i in $(seq 100); do [ -s ", out, " ] && break; sleep 0.1; ",
           "done; wc -l < ", out, " > ", path("seen"), "; printf 'og\\n'; } > ",
           fifo, " & '", FOVEA_COMMAND_PATH, "' translate ", model_,
           " --max-length 5 < ", fifo, " > ", out, "; wait");
  folder_.write("script", script);
  const Outcome o = run_command("sh", {path("script")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(std::stoi(bytes_of(path("seen"))), 1);
  EXPECT_EQ(lines_of(bytes_of(out)).size(), 2u);
}

// Whoever reads the first line only need not wait for 2,000.
TEST_F(TranslateCommand, TheFirstLinesOfManyComeSoon) {
  folder_.write("in", lines_text(Texts(2000, "the cat sees two birds !")));
  const std::string out = path("out");
  const std::string script =
      join("'", FOVEA_COMMAND_PATH, "' translate ", model_,
           " --threads 1 -q --max-length 20 < ", path("in"), " > ", out,
           " & until [ -s ", out, " ]; do :; done; wc -l < ", out, " > ",
           path("seen"), "; wait $!");
  folder_.write("script", script);
  ASSERT_EQ(run_command("sh", {path("script")}).code, 0);
  EXPECT_LT(std::stoi(bytes_of(path("seen"))), 1000);
  EXPECT_EQ(lines_of(bytes_of(out)).size(), 2000u);
}

TEST_F(TranslateCommand, NamesTheFirstLinesInPartsAndCountsTheOthers) {
  const auto warnings = [&](size_t lines) {
    folder_.write("in", lines_text(Texts(lines, "the cat . the dog .")));
    const Outcome o = translate({path("in"), "--max-input", "4"});
    EXPECT_EQ(o.code, 0);
    EXPECT_EQ(lines_of(o.out).size(), lines);
    Texts longer;
    for (const std::string& line : lines_of(o.err)) {
      const size_t at = line.find("longer than --max-input 4 tokens; trans");
      if (at != std::string::npos) longer.push_back(line);
    }
    return longer;
  };
  EXPECT_EQ(warnings(10).size(), 10u);
  const Texts of_many = warnings(13);
  ASSERT_EQ(of_many.size(), 11u);
  EXPECT_NE(of_many[9].find("in:10: "), std::string::npos) << of_many[9];
  EXPECT_NE(of_many[10].find("3 more lines: "), std::string::npos)
      << of_many[10];
}

TEST_F(TranslateCommand, NamesFlagsThatDoNothingOrExcludeEachOther) {
  folder_.write("in", "{\"text\": \"the cat\"}\n");
  const std::string in = path("in");
  const auto warned = [&](const Texts& more, const std::string& what) {
    Texts flags = {in};
    flags.insert(flags.end(), more.begin(), more.end());
    const Outcome o = translate(flags);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.err.find("warning: " + what), std::string::npos) << o.err;
  };
  warned({"--temperature", "0.5"}, "--temperature is for --sample");
  warned({"--top-k", "5"}, "--top-k is for --sample");
  warned({"--sample", "--patience", "2"}, "--patience is for a beam");
  warned({"--alignment-head", "0"}, "--alignment-head changes nothing");
  expect(translate({in, "--json", "--format", "text"}), 2,
         "--json and --format text");
  expect(translate({in, "--json", "--input-format", "text"}), 2,
         "--json and --input-format text");
  EXPECT_EQ(translate({in, "--json", "--format", "json"}).code, 0);
  EXPECT_EQ(run_command(FOVEA_COMMAND_PATH,
                        {"quantize", model_, "--out", path("int8")})
                .code,
            0);
  for (const char* command : {"translate", "score"}) {
    folder_.write("in", "a\tb\n");
    const Outcome o =
        run_command(FOVEA_COMMAND_PATH,
                    {command, path("int8"), in, "--precision", "float32"});
    EXPECT_EQ(o.code, 0);
    EXPECT_NE(o.err.find("int8: its weights are int8"), std::string::npos)
        << o.err;
  }
}

TEST_F(TranslateCommand, ShowsProgressOfAFileAtStandardInput) {
  folder_.write("in", "the cat\nmy dog\n");
  const Outcome o = translate({}, std::string("<").append(path("in")));
  EXPECT_NE(o.err.find("translate 2/2 100%"), std::string::npos) << o.err;
  const std::string whole = o.out;
  folder_.write("out.part", whole.substr(0, whole.find('\n') + 1));
  const Outcome rest = translate({path("in"), "-o", path("out"), "--resume"});
  EXPECT_NE(rest.err.find("translate 2/2 100%"), std::string::npos) << rest.err;
  EXPECT_EQ(bytes_of(path("out")), whole);
}

TEST_F(TranslateCommand, ReplacesUnknownWords) {
  write_model_folder(path("words"), {.unit = TextUnit::kWords, .seed = 9});
  folder_.write("in", lines_text(Texts(30, "Xerxes")));
  folder_.write("dictionary", "Xerxes\tXÉRXES\n");
  const auto run = [&](const Texts& more) {
    Texts all = {path("words"), path("in"), "--max-length", "12"};
    all.insert(all.end(), more.begin(), more.end());
    return run_command(FOVEA_COMMAND_PATH, arguments("translate", all));
  };
  EXPECT_EQ(run({}).out.find("<unk>"), std::string::npos);
  // Drawn often enough, some are unknown.
  const Outcome some = run({"--replace-unk", "--sample", "--n-best", "60"});
  EXPECT_NE(some.out.find("Xerxes"), std::string::npos) << some.err;
  EXPECT_EQ(some.out.find("<unk>"), std::string::npos);
  const Outcome listed = run(
      {"--unk-dictionary", path("dictionary"), "--sample", "--n-best", "60"});
  EXPECT_NE(listed.out.find("XÉRXES"), std::string::npos) << listed.err;
  folder_.write("dictionary", "Xerxes\tbad \xff\n");
  const Outcome bad = run({"--unk-dictionary", path("dictionary"), "--sample",
                           "--n-best", "60", "--format", "json"});
  EXPECT_EQ(bad.code, 0) << bad.err;
  EXPECT_NE(bad.out.find("bad \ufffd"), std::string::npos);
  EXPECT_NE(bad.err.find("dictionary:1: not UTF-8"), std::string::npos);
  folder_.write("dictionary", "no tab\n");
  expect(run({"--unk-dictionary", path("dictionary")}), 3, "dictionary:1");
}

TEST_F(TranslateCommand, ModelsVoteIfTheirVocabulariesAgree) {
  write_model_folder(path("other"), {.seed = 77});
  write_model_folder(path("words"), {.unit = TextUnit::kWords});
  folder_.write("in", "the cat sees two birds\n");
  const Outcome both = translate({path("in"), "--ensemble", path("other")});
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_NE(both.out, translate({path("in")}).out);
  expect(translate({path("in"), "--ensemble", path("words")}), 3, "vocabulary");
}

TEST_F(TranslateCommand, BadInputGivesOneLineAndTheRightCode) {
  folder_.write("in", "the cat\n");
  const std::string in = path("in");
  expect(translate({path("nowhere")}), 3, "nowhere");
  expect(translate({in, "--beam-size", "0"}), 2, "--beam-size");
  expect(translate({in, "--n-best", "9"}), 2, "--n-best");
  expect(translate({in, "--alignment", "2"}), 2, "--alignment");
  expect(translate({in, "--alignment", "hard", "--alignment-head", "9"}), 2,
         "head 9");
  expect(translate({in, "--precision", "int9"}), 2, "--precision");
  expect(translate({in, "--max-input", "-1"}), 2, "--max-input");
  expect(translate({in, "--batch-size", "0"}), 2, "--batch-size");
  expect(translate({in, "--json"}), 3, "in:1: is no JSON object");
  folder_.write("bad", "{\"text\": 3}\n");
  expect(translate({path("bad"), "--json"}), 3, "bad:1");
  expect(translate({in, "-o", path("model")}), 1, "is a folder");
  fs::resize_file(model_ + "/model.safetensors", 1000);
  expect(translate({in}), 3, "model.safetensors");
}

TEST_F(TranslateCommand, HasTheNamesThatOthersGiveIt) {
  folder_.write("in", "the cat\n");
  const auto run = [&](const char* name) {
    return run_command(FOVEA_COMMAND_PATH, {name, model_, path("in")}).out;
  };
  EXPECT_EQ(run("decode"), run("translate"));
  EXPECT_EQ(run("generate"), run("translate"));
}

}  // namespace
}  // namespace fovea
