// fovea align, as a user runs it.
#include <gtest/gtest.h>

#include "e2e/translate_command.h"
#include "fovea/data/naacl.h"
#include "fovea/eval/metric.h"
#include "fovea/io/text_file.h"

namespace fovea {
namespace {

using namespace fovea::testing;

class AlignCommand : public TranslateCommand {
 protected:
  // 300 pairs of a made-up language where adjectives follow their noun.
  void make_text() const {
    const Outcome o = run_command(
        FOVEA_COMMAND_PATH, {"-q", "make-data", "reorder", "--lines", "300",
                             "--seed", "3", "--out", path("t")});
    ASSERT_EQ(o.code, 0) << o.err;
  }

  Outcome align(const Texts& more, const std::string& before = "") const {
    return run_command(FOVEA_COMMAND_PATH, arguments("align", more), before);
  }

  Outcome align_text(Texts more) const {
    more.insert(more.begin(), {"--src", path("t.src"), "--tgt", path("t.tgt")});
    return align(more);
  }

  static double error_rate(const Outcome& o) {
    const size_t at = o.err.find("AER ");
    EXPECT_NE(at, std::string::npos) << o.err;
    return at == std::string::npos ? 100 : std::stod(o.err.substr(at + 4));
  }
};

TEST_F(AlignCommand, FindsTheLinksOfATextWithoutAModel) {
  make_text();
  const Outcome o = align_text({"--gold", path("t.align")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(lines_of(o.out).size(), 300u);
  EXPECT_LT(error_rate(o), 10);
  EXPECT_NE(o.err.find("of 300 pairs"), std::string::npos);
  folder_.write("out", o.out);
  const Outcome judged = run_command(
      FOVEA_COMMAND_PATH,
      {"evaluate", "--metric", "aer", "--ref", path("t.align"), path("out")});
  EXPECT_NE(judged.out.find(fixed_digits(error_rate(o), 2)), std::string::npos)
      << judged.out;
}

TEST_F(AlignCommand, DoesNotDependOnThreadsNorOnHowPairsCome) {
  make_text();
  const Outcome o = align_text({});
  EXPECT_EQ(align_text({"--threads", "3"}).out, o.out);
  const Texts source = lines_of(read_text(path("t.src")));
  const Texts target = lines_of(read_text(path("t.tgt")));
  std::string tabs, bars;
  for (size_t i = 0; i < source.size(); ++i) {
    tabs += source[i] + "\t" + target[i] + "\n";
    bars += source[i] + " ||| " + target[i] + "\n";
  }
  folder_.write("tabs", tabs);
  folder_.write("bars", bars);
  EXPECT_EQ(align({path("tabs")}).out, o.out);
  EXPECT_EQ(align({}, "cat " + path("bars") + " |").out, o.out);
  EXPECT_EQ(align({path("tabs"), "-o", path("out")}).out, "");
  EXPECT_EQ(read_text(path("out")), o.out);
}

TEST_F(AlignCommand, WritesAndReadsBothFormats) {
  make_text();
  const Outcome pharaoh = align_text({"--symmetrise", "union"});
  const Outcome naacl =
      align_text({"--symmetrise", "union", "--format", "naacl"});
  ASSERT_EQ(naacl.code, 0) << naacl.err;
  std::vector<WordLinks> links(300);
  for (const std::string& line : lines_of(naacl.out)) {
    const auto link = read_naacl(line);
    ASSERT_TRUE(link) << line;
    links[link->sentence].emplace_back(link->source, link->target);
  }
  const Texts lines = lines_of(pharaoh.out);
  for (size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(lines[i], write_pharaoh(links[i]));
  }
  folder_.write("gold", naacl.out);
  EXPECT_EQ(
      error_rate(align_text({"--symmetrise", "union", "--gold", path("gold")})),
      0);
  // Words counted from 1.
  std::string from_one;
  for (const WordLinks& some : links) {
    for (const auto& [s, t] : some) from_one += join(s + 1, "-", t + 1, " ");
    from_one += "\n";
  }
  folder_.write("one", from_one);
  EXPECT_EQ(error_rate(align_text({"--symmetrise", "union", "--gold",
                                   path("one"), "--gold-first", "1"})),
            0);
}

TEST_F(AlignCommand, LearnsFromMoreTextThanItAligns) {
  make_text();
  folder_.write("s", lines_of(read_text(path("t.src")))[0] + "\n");
  folder_.write("g", lines_of(read_text(path("t.align")))[0] + "\n");
  folder_.write("t", lines_of(read_text(path("t.tgt")))[0] + "\n");
  const Texts few = {"--src",   path("s"), "--tgt",
                     path("t"), "--gold",  path("g")};
  Texts more = few;
  more.insert(more.end(),
              {"--more-src", path("t.src"), "--more-tgt", path("t.tgt")});
  const Outcome o = align(more);
  EXPECT_EQ(lines_of(o.out).size(), 1u);
  EXPECT_LE(error_rate(o), error_rate(align(few)));
  EXPECT_LT(error_rate(o), 20);
}

TEST_F(AlignCommand, BothDirectionsLearnToAgreeUnlessToldNotTo) {
  make_text();
  const Outcome o = align_text({"--gold", path("t.align")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_LT(error_rate(o), 10);
  EXPECT_EQ(align_text({"--hmm-iterations", "5", "--threads", "3"}).out, o.out);
  const Outcome without = align_text({"--hmm-iterations", "0"});
  ASSERT_EQ(without.code, 0) << without.err;
  EXPECT_NE(without.out, o.out);
}

TEST_F(AlignCommand, OneDirectionLinksEachWordOnceAtMost) {
  make_text();
  for (const bool forward : {true, false}) {
    const Outcome o =
        align_text({"--symmetrise", forward ? "forward" : "backward"});
    ASSERT_EQ(o.code, 0) << o.err;
    for (const std::string& line : lines_of(o.out)) {
      std::vector<int> once;
      const WordLinks links = *read_pharaoh(line);
      for (const auto& [s, t] : links) {
        once.push_back(forward ? t : s);
      }
      std::sort(once.begin(), once.end());
      EXPECT_EQ(std::adjacent_find(once.begin(), once.end()), once.end());
    }
  }
}

// SPEC E2.
TEST_F(AlignCommand, JoinsLinksThatOthersFound) {
  folder_.write("f", "0-0 2-2 4-4\n\n0-0 1-1 2-1 3-3\n");
  folder_.write("b", "2-3 0-0\n\n0-0 1-1 1-2 3-2\n");
  const auto with = [&](const char* how) {
    return align({"--forward-links", path("f"), "--backward-links", path("b"),
                  "--symmetrise", how})
        .out;
  };
  const std::string all = "\n\n0-0 1-1 1-2 2-1 3-2 3-3\n";
  EXPECT_EQ(with("grow-diag"), "0-0" + all);
  EXPECT_EQ(with("grow-diag-final"), "0-0 2-2 2-3 4-4" + all);
  EXPECT_EQ(with("grow-diag-final-and"), "0-0 2-2 4-4" + all);
  EXPECT_EQ(with("forward"), read_text(path("f")));
  folder_.write("bad", "0-0\nx\n\n");
  folder_.write("one", "0-0\n");
  expect(align({"--forward-links", path("f"), "--backward-links", path("bad")}),
         3, "bad:2");
  expect(align({"--forward-links", path("f"), "--backward-links", path("one")}),
         3, "has 3 lines");
  expect(align({"--forward-links", path("f")}), 2, "--backward-links");
}

TEST_F(AlignCommand, GivesALineForEveryLine) {
  const auto with = [&](const Texts& lines, Texts more) {
    folder_.write("s", lines_text(lines));
    folder_.write("t", lines_text({lines.rbegin(), lines.rend()}));
    more.insert(more.end(), {"--src", path("s"), "--tgt", path("t")});
    const Outcome o = align(more);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.err.find(": not UTF-8"), std::string::npos) << o.err;
    const Texts found = lines_of(o.out);
    EXPECT_EQ(found.size(), lines.size());
    for (size_t i : {1, 2}) EXPECT_EQ(found.at(i), "");
  };
  Texts nasty = nasty_lines();
  with(nasty, {});
  std::erase_if(nasty, [](const auto& line) { return line.size() > 1500; });
  with(nasty, {"--model", model_, "--reverse-model", model_, "--layer", "0"});
  EXPECT_EQ(align({}, "true |").out, "");
}

TEST_F(AlignCommand, NamesWhatIsWrong) {
  folder_.write("one", "a b\n");
  folder_.write("two", "a b\nc\n");
  folder_.write("bad", "0-0\n1-x\n");
  folder_.write("far", "3 1 1\n");
  folder_.write("no", "1 1 1\n1 1\n");
  const Texts files = {"--src", path("two"), "--tgt", path("two")};
  const auto with = [&](Texts more) {
    more.insert(more.begin(), files.begin(), files.end());
    return align(more);
  };
  expect(align({"--src", path("two"), "--tgt", path("one")}), 3, "two:2");
  expect(align({"--src", path("one"), "--tgt", path("two")}), 3, "two:2");
  expect(align({"--src", path("one")}), 2, "--tgt");
  expect(align({path("one")}), 3, "one:1");
  expect(align({"--src", path("none"), "--tgt", path("one")}), 3, "none");
  expect(with({"--gold", path("one")}), 3, "one");
  expect(with({"--gold", path("bad")}), 3, "bad:2: '1-x'");
  expect(with({"--gold", path("far")}), 3, "far:1: sentence 3");
  expect(with({"--gold", path("no")}), 3, "no:2");
  expect(with({"--gold-first", "2"}), 2, "--gold-first 2");
  expect(with({"--ibm1-iterations", "0", "--diagonal-iterations", "0",
               "--hmm-iterations", "0"}),
         2, "nothing would be learnt");
  expect(with({"--symmetrise", "grow"}), 2, "grow-diag");
  expect(with({"--more-src", path("one")}), 2, "--more-tgt");
  expect(with({"--reverse-model", model_}), 2, "--model");
  expect(with({"--layer", "1"}), 2, "--model");
  expect(with({"--model", model_, "--heads", "1"}), 2, "--layer");
  expect(with({"--model", model_, "--layer", "2"}), 2, "2 layers");
  expect(with({"--model", model_, "--layer", "x"}), 2, "--layer x");
  expect(with({"--model", model_, "--layer", "0", "--heads", "5"}), 2,
         "head 5");
  expect(with({"--model", model_, "--dev-src", path("one")}), 2, "--dev-gold");
  expect(with({"--model", model_, "--threshold", "2"}), 2, "--threshold 2");
  expect(with({"--model", path("none")}), 3, "none");
  expect(with({"-o", path("none/out")}), 1, "none/out");
  // Flags that would be of no use.
  expect(with({"--shift", "1"}), 2, "--model");
  expect(with({path("one")}), 2, "INPUT");
  expect(with({"--model", model_, "--symmetrise", "union"}), 2,
         "--reverse-model");
  // Words that are not there.
  folder_.write("beyond", "0-0 1-2\n0-0\n");
  expect(with({"--gold", path("beyond")}), 3, "sentence 1: a link of words 1");
  folder_.write("one-based", "1-1 2-2\n1-1\n");
  expect(with({"--gold", path("one-based")}), 3, "--gold-first 1");
  expect(with({"--model", model_, "--dev-src", path("two"), "--dev-tgt",
               path("two"), "--dev-gold", path("beyond")}),
         3, "beyond: sentence 1");
}

TEST_F(AlignCommand, AModelLinksEachTargetWord) {
  make_text();
  const Outcome o = align_text({"--model", model_, "--layer", "-1"});
  ASSERT_EQ(o.code, 0) << o.err;
  const Texts lines = lines_of(o.out),
              target = lines_of(read_text(path("t.tgt")));
  ASSERT_EQ(lines.size(), 300u);
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto words = std::count(target[i].begin(), target[i].end(), ' ') + 1;
    EXPECT_EQ(std::ssize(*read_pharaoh(lines[i])), words) << target[i];
  }
  EXPECT_NE(o.err.find("decoder.layer.1.cross, all heads, shift 0"),
            std::string::npos)
      << o.err;
  EXPECT_EQ(align_text({"--model", model_, "--layer", "1", "--threads", "3",
                        "--batch-size", "5"})
                .out,
            o.out);
}

TEST_F(AlignCommand, ChoosesTheAttentionThatFitsGoldLinksBest) {
  make_text();
  const Texts gold = {"--gold", path("t.align"), "--model", model_};
  const auto with = [&](Texts more) {
    more.insert(more.begin(), gold.begin(), gold.end());
    const Outcome o = align_text(more);
    EXPECT_EQ(o.code, 0) << o.err;
    return error_rate(o);
  };
  const double best = with({"--dev-src", path("t.src"), "--dev-tgt",
                            path("t.tgt"), "--dev-gold", path("t.align")});
  for (const char* layer : {"0", "1"}) {
    for (const char* head : {"0", "1"}) {
      EXPECT_GE(with({"--layer", layer, "--heads", head}), best);
      EXPECT_GE(with({"--layer", layer, "--heads", head, "--shift", "1"}),
                best);
    }
  }
  const double guessed = with({});  // by the statistical aligner
  EXPECT_LT(guessed, best + 5);
}

TEST_F(AlignCommand, JoinsTwoModels) {
  make_text();
  const Texts one = {"--model", model_, "--layer", "0"};
  const Texts both = {"--model",         model_, "--layer", "0",
                      "--reverse-model", model_};
  const auto with = [&](Texts more, const char* how) {
    more.insert(more.end(), {"--symmetrise", how});
    return align_text(more).out;
  };
  EXPECT_EQ(with(both, "forward"), with(one, "forward"));
  EXPECT_NE(with(both, "backward"), with(both, "forward"));
  const Texts some = lines_of(with(both, "intersection"));
  const Texts all = lines_of(with(both, "union"));
  for (size_t i = 0; i < all.size(); ++i) {
    const WordLinks a = *read_pharaoh(some[i]), b = *read_pharaoh(all[i]);
    EXPECT_TRUE(std::includes(b.begin(), b.end(), a.begin(), a.end()));
    EXPECT_GT(b.size(), a.size());
  }
}

}  // namespace
}  // namespace fovea
