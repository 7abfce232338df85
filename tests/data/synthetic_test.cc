#include "fovea/data/synthetic.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "fovea/base/check.h"
#include "fovea/data/sentences.h"
#include "fovea/data/word_aligner.h"

namespace fovea {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::vector<SyntheticPair> make(SyntheticTask task, int count,
                                const SyntheticConfig& config = {}) {
  std::vector<SyntheticPair> pairs;
  for (int i = 0; i < count; ++i) {
    pairs.push_back(make_synthetic(task, config, i));
  }
  return pairs;
}

TEST(Synthetic, IsAFunctionOfSeedAndIndex) {
  for (const auto& task : kSyntheticTasks) {
    const auto at = [&](int64_t seed, int64_t index) {
      const SyntheticConfig config{.seed = seed};
      return make_synthetic(task.value, config, index).source;
    };
    EXPECT_EQ(at(1, 5), at(1, 5)) << task.name;
    EXPECT_NE(at(1, 5), at(1, 6)) << task.name;
    EXPECT_NE(at(1, 5), at(2, 5)) << task.name;
  }
}

RC_GTEST_PROP(Synthetic, SymbolTasksAreRight, (uint16_t index)) {
  const SyntheticConfig config{.min_length = 2, .max_length = 9, .symbols = 5};
  const auto pair = [&](SyntheticTask task) {
    return make_synthetic(task, config, index);
  };
  for (const auto task :
       {SyntheticTask::kReverse, SyntheticTask::kCopy, SyntheticTask::kSort}) {
    const SyntheticPair p = pair(task);
    std::vector<std::string> source = words(p.source);
    const std::vector<std::string> target = words(p.target);
    RC_ASSERT(source.size() >= 2u && source.size() <= 9u);
    RC_ASSERT(p.links.size() == source.size());
    for (const auto& [from, to] : p.links) {
      RC_ASSERT(source[from] == target[to]);
      RC_ASSERT(source[from] >= "a" && source[from] <= "e");
    }
    if (task == SyntheticTask::kReverse) {
      std::reverse(source.begin(), source.end());
    } else if (task == SyntheticTask::kSort) {
      std::sort(source.begin(), source.end());
    }
    RC_ASSERT(source == target);
  }
}

TEST(Synthetic, RecallAsksForTheLetterInFront) {
  const SyntheticConfig config{.delay = 7};
  for (const SyntheticPair& pair : make(SyntheticTask::kRecall, 20, config)) {
    const std::vector<std::string> source = words(pair.source);
    ASSERT_EQ(source.size(), 8u);
    EXPECT_EQ(pair.target, source[0]);
    EXPECT_TRUE(std::isalpha(source[0][0]));
    EXPECT_TRUE(std::isdigit(source[7][0]));
    EXPECT_EQ(pair.links, (WordLinks{{0, 0}}));
  }
}

TEST(Synthetic, EvidenceIsOneWordThatTellsTheLabel) {
  const SyntheticConfig config{.min_length = 4, .max_length = 9};
  std::map<std::string, std::set<std::string>> labels_of;
  for (const SyntheticPair& pair :
       make(SyntheticTask::kEvidence, 300, config)) {
    const std::vector<std::string> source = words(pair.source);
    ASSERT_EQ(pair.links.size(), 1u);
    const int place = pair.links[0].first;
    for (int i = 0; i < std::ssize(source); ++i) {
      EXPECT_EQ(source[i].size() > 1, i == place) << pair.source;
    }
    labels_of[source[place]].insert(pair.target);
  }
  EXPECT_EQ(labels_of.size(), 6u);
  for (const auto& [word, labels] : labels_of) {
    EXPECT_EQ(labels.size(), 1u) << word;
  }
}

TEST(Synthetic, RolesAreThoseOfActiveAndPassiveClauses) {
  std::set<std::string> targets;
  int passive = 0;
  for (const SyntheticPair& pair : make(SyntheticTask::kRoles, 4000)) {
    const std::vector<std::string> source = words(pair.source);
    ASSERT_EQ(pair.links.size(), 3u);
    const int who = pair.links[0].first, deed = pair.links[1].first;
    const int whom = pair.links[2].first;
    EXPECT_EQ(pair.target,
              source[who] + " " + source[deed] + " " + source[whom]);
    for (int j = 0; j < 3; ++j) EXPECT_EQ(pair.links[j].second, j);
    EXPECT_NE(source[who], source[whom]);
    const bool was = source[deed - 1] == "was";
    EXPECT_EQ(was, source[deed + 1] == "by");
    EXPECT_TRUE(was ? whom < deed && deed < who : who < deed && deed < whom)
        << pair.source;
    passive += was;
    targets.insert(pair.target);
  }
  EXPECT_NEAR(passive, 2000, 200);
  EXPECT_EQ(targets.size(), 8u * 7u * 6u);
}

TEST(Synthetic, DatesAreRealAndUnambiguous) {
  std::map<std::string, std::string> answers;
  for (const SyntheticPair& pair : make(SyntheticTask::kDates, 20000)) {
    int year = 0, month = 0, day = 0;
    ASSERT_EQ(
        std::sscanf(pair.target.c_str(), "%4d-%2d-%2d", &year, &month, &day),
        3);
    ASSERT_EQ(pair.target.size(), 10u);
    EXPECT_TRUE(year >= 1950 && year <= 2049 && month >= 1 && month <= 12 &&
                day >= 1 && day <= 31);
    const auto [known, fresh] = answers.emplace(pair.source, pair.target);
    EXPECT_EQ(known->second, pair.target) << pair.source;
  }
  EXPECT_GT(answers.size(), 19000u);
}

// The form decides what a number means.
TEST(Synthetic, NumericDatesFollowTheirSeparators) {
  int seen = 0;
  for (const SyntheticPair& pair : make(SyntheticTask::kDates, 5000)) {
    int a = 0, b = 0, c = 0, end = 0, year = 0, month = 0, day = 0;
    char first = 0, second = 0;
    std::sscanf(pair.target.c_str(), "%4d-%2d-%2d", &year, &month, &day);
    const int read = std::sscanf(pair.source.c_str(), "%d%c%d%c%d%n", &a,
                                 &first, &b, &second, &c, &end);
    if (read != 5 || end != std::ssize(pair.source) || first != second)
      continue;
    ++seen;
    if (a > 31) {
      EXPECT_TRUE(a == year && b == month && c == day) << pair.source;
    } else if (first == '/') {
      EXPECT_TRUE(a == month && b == day && c % 100 == year % 100);
    } else {
      EXPECT_TRUE(a == day && b == month && c % 100 == year % 100)
          << pair.source;
    }
  }
  EXPECT_GT(seen, 1000);
}

TEST(Synthetic, DatesComeInManyForms) {
  std::string all;
  for (const SyntheticPair& pair : make(SyntheticTask::kDates, 3000)) {
    all += pair.source + "\n";
  }
  for (const char* part : {"friday",      "freitag",
                           "vendredi",    "viernes",
                           "venerdì",     "vrijdag",
                           "sexta-feira", "th of ",
                           "1st",         "2nd",
                           "3rd",         "11th",
                           "den ",        "1er ",
                           "février",     "märz",
                           "fr. ",        " de octubre de ",
                           "'9",          "/",
                           "-",           "."}) {
    EXPECT_NE(all.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(all.find("11st"), std::string::npos);
}

// SPEC G5.
TEST(Synthetic, AdjectivesFollowTheirNounInReverse) {
  int reversed = 0, pies = 0;
  for (const SyntheticPair& pair : make(SyntheticTask::kReorder, 2000)) {
    const std::vector<std::string> source = words(pair.source);
    const std::vector<std::string> target = words(pair.target);
    std::vector<int> of(source.size(), -1), links(target.size());
    for (const auto& [from, to] : pair.links) {
      of[from] = to;
      ++links[to];
    }
    EXPECT_EQ(std::count(of.begin(), of.end(), -1), 0) << pair.source;
    EXPECT_EQ(std::count(links.begin(), links.end(), 0), 0) << pair.target;
    pies += pair.source.ends_with("with a pie .");
    for (size_t i = 0; i + 2 < source.size(); ++i) {
      reversed += of[i] == of[i + 1] + 1 && of[i + 1] == of[i + 2] + 1;
      if (source[i] == "economic" && source[i + 1] == "area") {
        EXPECT_EQ(target[of[i + 1]], "zone");
        EXPECT_EQ(target[of[i + 1] + 1], "économique");
      }
    }
  }
  EXPECT_GT(reversed, 1000) << "blocks of three words";
  EXPECT_GT(pies, 100) << "several words for one";
}

TEST(Synthetic, TestSourcesAreNotInTraining) {
  std::set<std::string> train;
  for (const auto& pair :
       make(SyntheticTask::kDates, 5000, {.part = SyntheticPart::kTrain})) {
    train.insert(pair.source);
  }
  for (const auto& pair :
       make(SyntheticTask::kDates, 500, {.part = SyntheticPart::kTest})) {
    EXPECT_FALSE(train.contains(pair.source)) << pair.source;
  }
}

TEST(Synthetic, AlignersFindTheGoldLinks) {
  Sentences source, target;
  const auto pairs = make(SyntheticTask::kReorder, 1500);
  for (const SyntheticPair& pair : pairs) {
    source.add(pair.source);
    target.add(pair.target);
  }
  const WordAligner aligner = WordAligner::train(source, target);
  int64_t right = 0, all = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    for (const auto& link : aligner.align(source[i], target[i])) {
      const WordLinks& gold = pairs[i].links;
      right += std::binary_search(gold.begin(), gold.end(), link);
      ++all;
    }
  }
  EXPECT_GT(static_cast<double>(right) / static_cast<double>(all), 0.97);
}

TEST(Synthetic, RefusesSizesThatCannotBe) {
  const auto error_of = [](const SyntheticConfig& config) -> std::string {
    try {
      make_synthetic(SyntheticTask::kCopy, config, 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(error_of({.min_length = 0}).find("lengths from 0"),
            std::string::npos);
  EXPECT_NE(error_of({.min_length = 5, .max_length = 4}).find("5 to 4"),
            std::string::npos);
  EXPECT_NE(error_of({.symbols = 27}).find("symbols 27"), std::string::npos);
  EXPECT_NE(error_of({.delay = -1}).find("delay -1"), std::string::npos);
  const SyntheticConfig tiny{.part = SyntheticPart::kTest,
                             .min_length = 1,
                             .max_length = 1,
                             .symbols = 1};
  EXPECT_NE(error_of(tiny).find("too few"), std::string::npos);
}

}  // namespace
}  // namespace fovea
